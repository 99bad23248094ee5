"""An extension of another release."""

raise SystemExit("the core must refuse this by its version, before importing it")
