"""The Array API's namespace of linear algebra; what the standard has in both is in ``backburner`` itself too."""

from backburner.ops.decompositions import cholesky as cholesky
from backburner.ops.decompositions import det as det
from backburner.ops.decompositions import eigh as eigh
from backburner.ops.decompositions import eigvalsh as eigvalsh
from backburner.ops.decompositions import inv as inv
from backburner.ops.decompositions import matrix_norm as matrix_norm
from backburner.ops.decompositions import matrix_power as matrix_power
from backburner.ops.decompositions import matrix_rank as matrix_rank
from backburner.ops.decompositions import pinv as pinv
from backburner.ops.decompositions import qr as qr
from backburner.ops.decompositions import slogdet as slogdet
from backburner.ops.decompositions import solve as solve
from backburner.ops.decompositions import svd as svd
from backburner.ops.decompositions import svdvals as svdvals
from backburner.ops.linalg import cross as cross
from backburner.ops.linalg import diagonal as diagonal
from backburner.ops.linalg import matmul as matmul
from backburner.ops.linalg import outer as outer
from backburner.ops.linalg import tensordot as tensordot
from backburner.ops.linalg import vecdot as vecdot
from backburner.ops.reduction import trace as trace
from backburner.ops.reduction import vector_norm as vector_norm
from backburner.ops.shape import matrix_transpose as matrix_transpose

# pyright: reportUnsupportedDunderAll=false
# What help() tells of.
__all__ = [name for name in globals() if not name.startswith("_")]
