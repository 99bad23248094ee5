"""Compiled loops: one file per op family, the decorator in ``_jit``, the mathematics in ``math``."""
