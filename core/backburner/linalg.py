"""The Array API's namespace of linear algebra; what is in it is in ``backburner`` itself too."""

from backburner.ops.linalg import cross as cross
from backburner.ops.linalg import diagonal as diagonal
from backburner.ops.linalg import matmul as matmul
from backburner.ops.linalg import outer as outer
from backburner.ops.linalg import tensordot as tensordot
from backburner.ops.linalg import vecdot as vecdot
from backburner.ops.reduction import trace as trace
from backburner.ops.reduction import vector_norm as vector_norm
from backburner.ops.shape import matrix_transpose as matrix_transpose
