"""Neural ops on tensors: PyTorch's names and arguments, an axis being ``axis``."""

from backburner.nn.functional.activation import dropout as dropout
from backburner.nn.functional.conv import conv2d as conv2d
from backburner.nn.functional.indexing import embedding as embedding
from backburner.nn.functional.linalg import linear as linear
from backburner.nn.functional.loss import cross_entropy as cross_entropy
from backburner.nn.functional.loss import mse_loss as mse_loss
from backburner.nn.functional.norm import batch_norm as batch_norm
from backburner.nn.functional.norm import layer_norm as layer_norm
from backburner.nn.functional.pool import avg_pool2d as avg_pool2d
from backburner.nn.functional.pool import max_pool2d as max_pool2d
from backburner.nn.functional.resample import affine_grid as affine_grid
from backburner.nn.functional.resample import grid_sample as grid_sample
from backburner.nn.functional.resample import interpolate as interpolate
from backburner.ops.activation import gelu as gelu
from backburner.ops.activation import log_softmax as log_softmax
from backburner.ops.activation import relu as relu
from backburner.ops.activation import sigmoid as sigmoid
from backburner.ops.activation import softmax as softmax
from backburner.ops.elementwise import tanh as tanh
