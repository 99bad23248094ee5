"""The `autodiff` feature of Backburner: what its entry point loads."""

from backburner_autodiff import threads as threads  # its kernels follow bb.set_num_threads
from backburner_autodiff.backend import AutodiffBackend as AutodiffBackend
