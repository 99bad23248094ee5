"""The `autodiff` feature of Backburner: what its entry point loads."""

from backburner_autodiff.backend import AutodiffBackend as AutodiffBackend
