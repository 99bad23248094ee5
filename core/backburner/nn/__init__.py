"""Modules: PyTorch's layers by name, argument (an axis is ``axis``), parameter layout and ``state_dict`` key."""

from backburner.nn import functional as functional
from backburner.nn import init as init
from backburner.nn._module import Module as Module
from backburner.nn._parameter import Buffer as Buffer
from backburner.nn._parameter import Parameter as Parameter
from backburner.nn.activation import GELU as GELU
from backburner.nn.activation import Dropout as Dropout
from backburner.nn.activation import LogSoftmax as LogSoftmax
from backburner.nn.activation import ReLU as ReLU
from backburner.nn.activation import Sigmoid as Sigmoid
from backburner.nn.activation import Softmax as Softmax
from backburner.nn.activation import Tanh as Tanh
from backburner.nn.container import Flatten as Flatten
from backburner.nn.container import Sequential as Sequential
from backburner.nn.conv import Conv2d as Conv2d
from backburner.nn.indexing import Embedding as Embedding
from backburner.nn.linalg import Linear as Linear
from backburner.nn.loss import CrossEntropyLoss as CrossEntropyLoss
from backburner.nn.loss import MSELoss as MSELoss
from backburner.nn.norm import BatchNorm1d as BatchNorm1d
from backburner.nn.norm import BatchNorm2d as BatchNorm2d
from backburner.nn.norm import LayerNorm as LayerNorm
from backburner.nn.pool import AvgPool2d as AvgPool2d
from backburner.nn.pool import MaxPool2d as MaxPool2d
