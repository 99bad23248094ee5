"""Backends of the core, one package each."""
