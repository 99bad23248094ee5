"""Modules: PyTorch's layers by name, argument (an axis is ``axis``), parameter layout and ``state_dict`` key."""

import typing as _typing

from backburner.nn import functional as functional
from backburner.nn import init as init
from backburner.nn import utils as utils
from backburner.nn._module import Module as Module
from backburner.nn._parameter import Buffer as Buffer
from backburner.nn._parameter import Parameter as Parameter
from backburner.nn.activation import CELU as CELU
from backburner.nn.activation import ELU as ELU
from backburner.nn.activation import GELU as GELU
from backburner.nn.activation import GLU as GLU
from backburner.nn.activation import SELU as SELU
from backburner.nn.activation import LogSigmoid as LogSigmoid
from backburner.nn.activation import LogSoftmax as LogSoftmax
from backburner.nn.activation import Mish as Mish
from backburner.nn.activation import ReLU as ReLU
from backburner.nn.activation import Sigmoid as Sigmoid
from backburner.nn.activation import SiLU as SiLU
from backburner.nn.activation import Softmax as Softmax
from backburner.nn.activation import Softmax2d as Softmax2d
from backburner.nn.activation import Softmin as Softmin
from backburner.nn.activation import Softplus as Softplus
from backburner.nn.activation import Softsign as Softsign
from backburner.nn.activation import Tanh as Tanh
from backburner.nn.activation import Tanhshrink as Tanhshrink
from backburner.nn.adapter import LoRA as LoRA
from backburner.nn.adapter import lora as lora
from backburner.nn.adapter import lora_state_dict as lora_state_dict
from backburner.nn.adapter import merge_lora as merge_lora
from backburner.nn.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from backburner.nn.attention import MultiheadAttention as MultiheadAttention
from backburner.nn.cache import KVCache as KVCache
from backburner.nn.cache import cached_attention as cached_attention
from backburner.nn.container import Flatten as Flatten
from backburner.nn.container import Identity as Identity
from backburner.nn.container import ModuleDict as ModuleDict
from backburner.nn.container import ModuleList as ModuleList
from backburner.nn.container import ParameterDict as ParameterDict
from backburner.nn.container import ParameterList as ParameterList
from backburner.nn.container import Sequential as Sequential
from backburner.nn.conv import Conv1d as Conv1d
from backburner.nn.conv import Conv2d as Conv2d
from backburner.nn.conv import Conv3d as Conv3d
from backburner.nn.conv import ConvTranspose1d as ConvTranspose1d
from backburner.nn.conv import ConvTranspose2d as ConvTranspose2d
from backburner.nn.conv import ConvTranspose3d as ConvTranspose3d
from backburner.nn.distance import CosineSimilarity as CosineSimilarity
from backburner.nn.distance import PairwiseDistance as PairwiseDistance
from backburner.nn.dropout import AlphaDropout as AlphaDropout
from backburner.nn.dropout import Dropout as Dropout
from backburner.nn.dropout import Dropout1d as Dropout1d
from backburner.nn.dropout import Dropout2d as Dropout2d
from backburner.nn.dropout import Dropout3d as Dropout3d
from backburner.nn.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from backburner.nn.folding import ChannelShuffle as ChannelShuffle
from backburner.nn.folding import Fold as Fold
from backburner.nn.folding import PixelShuffle as PixelShuffle
from backburner.nn.folding import PixelUnshuffle as PixelUnshuffle
from backburner.nn.folding import Unfold as Unfold
from backburner.nn.generation import generate as generate
from backburner.nn.indexing import Embedding as Embedding
from backburner.nn.indexing import EmbeddingBag as EmbeddingBag
from backburner.nn.linalg import Bilinear as Bilinear
from backburner.nn.linalg import Linear as Linear
from backburner.nn.linalg import SwiGLU as SwiGLU
from backburner.nn.loss import BCELoss as BCELoss
from backburner.nn.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from backburner.nn.loss import CrossEntropyLoss as CrossEntropyLoss
from backburner.nn.loss import CTCLoss as CTCLoss
from backburner.nn.loss import GaussianNLLLoss as GaussianNLLLoss
from backburner.nn.loss import HuberLoss as HuberLoss
from backburner.nn.loss import KLDivLoss as KLDivLoss
from backburner.nn.loss import L1Loss as L1Loss
from backburner.nn.loss import MSELoss as MSELoss
from backburner.nn.loss import NLLLoss as NLLLoss
from backburner.nn.loss import PoissonNLLLoss as PoissonNLLLoss
from backburner.nn.loss import SmoothL1Loss as SmoothL1Loss
from backburner.nn.margin import CosineEmbeddingLoss as CosineEmbeddingLoss
from backburner.nn.margin import HingeEmbeddingLoss as HingeEmbeddingLoss
from backburner.nn.margin import MarginRankingLoss as MarginRankingLoss
from backburner.nn.margin import MultiLabelMarginLoss as MultiLabelMarginLoss
from backburner.nn.margin import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from backburner.nn.margin import MultiMarginLoss as MultiMarginLoss
from backburner.nn.margin import SoftMarginLoss as SoftMarginLoss
from backburner.nn.margin import TripletMarginLoss as TripletMarginLoss
from backburner.nn.margin import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from backburner.nn.norm import BatchNorm1d as BatchNorm1d
from backburner.nn.norm import BatchNorm2d as BatchNorm2d
from backburner.nn.norm import BatchNorm3d as BatchNorm3d
from backburner.nn.norm import GroupNorm as GroupNorm
from backburner.nn.norm import InstanceNorm1d as InstanceNorm1d
from backburner.nn.norm import InstanceNorm2d as InstanceNorm2d
from backburner.nn.norm import InstanceNorm3d as InstanceNorm3d
from backburner.nn.norm import LayerNorm as LayerNorm
from backburner.nn.norm import LocalResponseNorm as LocalResponseNorm
from backburner.nn.norm import RMSNorm as RMSNorm
from backburner.nn.piecewise import Hardshrink as Hardshrink
from backburner.nn.piecewise import Hardsigmoid as Hardsigmoid
from backburner.nn.piecewise import Hardswish as Hardswish
from backburner.nn.piecewise import Hardtanh as Hardtanh
from backburner.nn.piecewise import LeakyReLU as LeakyReLU
from backburner.nn.piecewise import PReLU as PReLU
from backburner.nn.piecewise import ReLU6 as ReLU6
from backburner.nn.piecewise import RReLU as RReLU
from backburner.nn.piecewise import Softshrink as Softshrink
from backburner.nn.piecewise import Threshold as Threshold
from backburner.nn.pool import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from backburner.nn.pool import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from backburner.nn.pool import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from backburner.nn.pool import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from backburner.nn.pool import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from backburner.nn.pool import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from backburner.nn.pool import AvgPool1d as AvgPool1d
from backburner.nn.pool import AvgPool2d as AvgPool2d
from backburner.nn.pool import AvgPool3d as AvgPool3d
from backburner.nn.pool import FractionalMaxPool2d as FractionalMaxPool2d
from backburner.nn.pool import FractionalMaxPool3d as FractionalMaxPool3d
from backburner.nn.pool import LPPool1d as LPPool1d
from backburner.nn.pool import LPPool2d as LPPool2d
from backburner.nn.pool import LPPool3d as LPPool3d
from backburner.nn.pool import MaxPool1d as MaxPool1d
from backburner.nn.pool import MaxPool2d as MaxPool2d
from backburner.nn.pool import MaxPool3d as MaxPool3d
from backburner.nn.pool import MaxUnpool1d as MaxUnpool1d
from backburner.nn.pool import MaxUnpool2d as MaxUnpool2d
from backburner.nn.pool import MaxUnpool3d as MaxUnpool3d
from backburner.nn.recurrent import GRU as GRU
from backburner.nn.recurrent import LSTM as LSTM
from backburner.nn.recurrent import RNN as RNN
from backburner.nn.recurrent import GRUCell as GRUCell
from backburner.nn.recurrent import LSTMCell as LSTMCell
from backburner.nn.recurrent import RNNCell as RNNCell
from backburner.nn.resample import Upsample as Upsample
from backburner.nn.resample import UpsamplingBilinear2d as UpsamplingBilinear2d
from backburner.nn.resample import UpsamplingNearest2d as UpsamplingNearest2d
from backburner.nn.rotary import PositionalEncoding as PositionalEncoding
from backburner.nn.rotary import RotaryEmbedding as RotaryEmbedding
from backburner.nn.rotary import alibi_mask as alibi_mask
from backburner.nn.shape import CircularPad1d as CircularPad1d
from backburner.nn.shape import CircularPad2d as CircularPad2d
from backburner.nn.shape import CircularPad3d as CircularPad3d
from backburner.nn.shape import ConstantPad1d as ConstantPad1d
from backburner.nn.shape import ConstantPad2d as ConstantPad2d
from backburner.nn.shape import ConstantPad3d as ConstantPad3d
from backburner.nn.shape import ReflectionPad1d as ReflectionPad1d
from backburner.nn.shape import ReflectionPad2d as ReflectionPad2d
from backburner.nn.shape import ReflectionPad3d as ReflectionPad3d
from backburner.nn.shape import ReplicationPad1d as ReplicationPad1d
from backburner.nn.shape import ReplicationPad2d as ReplicationPad2d
from backburner.nn.shape import ReplicationPad3d as ReplicationPad3d
from backburner.nn.shape import Unflatten as Unflatten
from backburner.nn.shape import ZeroPad1d as ZeroPad1d
from backburner.nn.shape import ZeroPad2d as ZeroPad2d
from backburner.nn.shape import ZeroPad3d as ZeroPad3d
from backburner.nn.transformer import Transformer as Transformer
from backburner.nn.transformer import TransformerDecoder as TransformerDecoder
from backburner.nn.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from backburner.nn.transformer import TransformerEncoder as TransformerEncoder
from backburner.nn.transformer import TransformerEncoderLayer as TransformerEncoderLayer

# pyright: reportUnsupportedDunderAll=false
# What help() tells of.
__all__ = ["functional", "init", "utils", *(name for name, found in globals().items() if callable(found))]

if not _typing.TYPE_CHECKING:  # or checkers would take any name
    from backburner._hints import refuser as _refuser

    _NO_LAZY = "the layer without Lazy, with the number of inputs: a parameter has its shape from the start"
    __getattr__ = _refuser(
        __name__,
        {
            "Dense": "Linear",
            "DataParallel": "the model as it is: ops use the cores of the machine",
            "Lambda": "a Module with a forward",
            "LazyBatchNorm1d": _NO_LAZY,
            "LazyBatchNorm2d": _NO_LAZY,
            "LazyConv1d": _NO_LAZY,
            "LazyConv2d": _NO_LAZY,
            "LazyLinear": _NO_LAZY,
            "NLLLoss2d": "NLLLoss",
            "SyncBatchNorm": "BatchNorm2d: there is one process",
            "cross_entropy": "functional.cross_entropy",
            "modules": "the layers from nn",
            "parameter": "Parameter",
            "relu": "functional.relu",
            "softmax": "functional.softmax",
        },
    )
