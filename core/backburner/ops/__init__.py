"""The public functions by family; ``backburner`` itself exports them all."""
