"""Neural ops on tensors: PyTorch's names and arguments, an axis being ``axis``."""

import typing as _typing

from backburner.nn.functional.activation import celu as celu
from backburner.nn.functional.activation import elu as elu
from backburner.nn.functional.activation import glu as glu
from backburner.nn.functional.activation import gumbel_softmax as gumbel_softmax
from backburner.nn.functional.activation import logsigmoid as logsigmoid
from backburner.nn.functional.activation import mish as mish
from backburner.nn.functional.activation import quiet_softmax as quiet_softmax
from backburner.nn.functional.activation import selu as selu
from backburner.nn.functional.activation import silu as silu
from backburner.nn.functional.activation import softmin as softmin
from backburner.nn.functional.activation import softplus as softplus
from backburner.nn.functional.activation import softsign as softsign
from backburner.nn.functional.activation import tanhshrink as tanhshrink
from backburner.nn.functional.attention import scaled_dot_product_attention as scaled_dot_product_attention
from backburner.nn.functional.conv import conv1d as conv1d
from backburner.nn.functional.conv import conv2d as conv2d
from backburner.nn.functional.conv import conv3d as conv3d
from backburner.nn.functional.convtranspose import conv_transpose1d as conv_transpose1d
from backburner.nn.functional.convtranspose import conv_transpose2d as conv_transpose2d
from backburner.nn.functional.convtranspose import conv_transpose3d as conv_transpose3d
from backburner.nn.functional.ctc import ctc_loss as ctc_loss
from backburner.nn.functional.distance import cosine_similarity as cosine_similarity
from backburner.nn.functional.distance import normalize as normalize
from backburner.nn.functional.distance import pairwise_distance as pairwise_distance
from backburner.nn.functional.distance import pdist as pdist
from backburner.nn.functional.dropout import alpha_dropout as alpha_dropout
from backburner.nn.functional.dropout import dropout as dropout
from backburner.nn.functional.dropout import dropout1d as dropout1d
from backburner.nn.functional.dropout import dropout2d as dropout2d
from backburner.nn.functional.dropout import dropout3d as dropout3d
from backburner.nn.functional.dropout import feature_alpha_dropout as feature_alpha_dropout
from backburner.nn.functional.folding import channel_shuffle as channel_shuffle
from backburner.nn.functional.folding import fold as fold
from backburner.nn.functional.folding import pixel_shuffle as pixel_shuffle
from backburner.nn.functional.folding import pixel_unshuffle as pixel_unshuffle
from backburner.nn.functional.folding import unfold as unfold
from backburner.nn.functional.indexing import embedding as embedding
from backburner.nn.functional.indexing import embedding_bag as embedding_bag
from backburner.nn.functional.linalg import bilinear as bilinear
from backburner.nn.functional.linalg import linear as linear
from backburner.nn.functional.loss import binary_cross_entropy as binary_cross_entropy
from backburner.nn.functional.loss import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from backburner.nn.functional.loss import cross_entropy as cross_entropy
from backburner.nn.functional.loss import kl_div as kl_div
from backburner.nn.functional.loss import nll_loss as nll_loss
from backburner.nn.functional.margin import cosine_embedding_loss as cosine_embedding_loss
from backburner.nn.functional.margin import hinge_embedding_loss as hinge_embedding_loss
from backburner.nn.functional.margin import margin_ranking_loss as margin_ranking_loss
from backburner.nn.functional.margin import multi_margin_loss as multi_margin_loss
from backburner.nn.functional.margin import multilabel_margin_loss as multilabel_margin_loss
from backburner.nn.functional.margin import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from backburner.nn.functional.margin import soft_margin_loss as soft_margin_loss
from backburner.nn.functional.margin import triplet_margin_loss as triplet_margin_loss
from backburner.nn.functional.margin import (
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
)
from backburner.nn.functional.maxpool import adaptive_max_pool1d as adaptive_max_pool1d
from backburner.nn.functional.maxpool import adaptive_max_pool2d as adaptive_max_pool2d
from backburner.nn.functional.maxpool import adaptive_max_pool3d as adaptive_max_pool3d
from backburner.nn.functional.maxpool import fractional_max_pool2d as fractional_max_pool2d
from backburner.nn.functional.maxpool import fractional_max_pool3d as fractional_max_pool3d
from backburner.nn.functional.maxpool import max_pool1d as max_pool1d
from backburner.nn.functional.maxpool import max_pool2d as max_pool2d
from backburner.nn.functional.maxpool import max_pool3d as max_pool3d
from backburner.nn.functional.norm import batch_norm as batch_norm
from backburner.nn.functional.norm import group_norm as group_norm
from backburner.nn.functional.norm import instance_norm as instance_norm
from backburner.nn.functional.norm import layer_norm as layer_norm
from backburner.nn.functional.norm import local_response_norm as local_response_norm
from backburner.nn.functional.norm import rms_norm as rms_norm
from backburner.nn.functional.piecewise import hardshrink as hardshrink
from backburner.nn.functional.piecewise import hardsigmoid as hardsigmoid
from backburner.nn.functional.piecewise import hardswish as hardswish
from backburner.nn.functional.piecewise import hardtanh as hardtanh
from backburner.nn.functional.piecewise import leaky_relu as leaky_relu
from backburner.nn.functional.piecewise import prelu as prelu
from backburner.nn.functional.piecewise import relu6 as relu6
from backburner.nn.functional.piecewise import rrelu as rrelu
from backburner.nn.functional.piecewise import shrink as shrink
from backburner.nn.functional.piecewise import softshrink as softshrink
from backburner.nn.functional.piecewise import threshold as threshold
from backburner.nn.functional.piecewise import thresholded_relu as thresholded_relu
from backburner.nn.functional.pool import adaptive_avg_pool1d as adaptive_avg_pool1d
from backburner.nn.functional.pool import adaptive_avg_pool2d as adaptive_avg_pool2d
from backburner.nn.functional.pool import adaptive_avg_pool3d as adaptive_avg_pool3d
from backburner.nn.functional.pool import avg_pool1d as avg_pool1d
from backburner.nn.functional.pool import avg_pool2d as avg_pool2d
from backburner.nn.functional.pool import avg_pool3d as avg_pool3d
from backburner.nn.functional.pool import lp_pool1d as lp_pool1d
from backburner.nn.functional.pool import lp_pool2d as lp_pool2d
from backburner.nn.functional.pool import lp_pool3d as lp_pool3d
from backburner.nn.functional.recurrent import gru as gru
from backburner.nn.functional.recurrent import gru_cell as gru_cell
from backburner.nn.functional.recurrent import lstm as lstm
from backburner.nn.functional.recurrent import lstm_cell as lstm_cell
from backburner.nn.functional.recurrent import rnn as rnn
from backburner.nn.functional.recurrent import rnn_cell as rnn_cell
from backburner.nn.functional.regression import gaussian_nll_loss as gaussian_nll_loss
from backburner.nn.functional.regression import huber_loss as huber_loss
from backburner.nn.functional.regression import l1_loss as l1_loss
from backburner.nn.functional.regression import mse_loss as mse_loss
from backburner.nn.functional.regression import poisson_nll_loss as poisson_nll_loss
from backburner.nn.functional.regression import smooth_l1_loss as smooth_l1_loss
from backburner.nn.functional.resample import affine_grid as affine_grid
from backburner.nn.functional.resample import grid_sample as grid_sample
from backburner.nn.functional.resample import interpolate as interpolate
from backburner.nn.functional.shape import pad as pad
from backburner.nn.functional.unpool import max_unpool1d as max_unpool1d
from backburner.nn.functional.unpool import max_unpool2d as max_unpool2d
from backburner.nn.functional.unpool import max_unpool3d as max_unpool3d
from backburner.ops.activation import gelu as gelu
from backburner.ops.activation import log_softmax as log_softmax
from backburner.ops.activation import relu as relu
from backburner.ops.activation import sigmoid as sigmoid
from backburner.ops.activation import softmax as softmax
from backburner.ops.elementwise import tanh as tanh
from backburner.ops.indexing import one_hot as one_hot

# pyright: reportUnsupportedDunderAll=false
# What help() tells of.
__all__ = [name for name, found in globals().items() if callable(found)]

if not _typing.TYPE_CHECKING:  # or checkers would take any name
    from backburner._hints import refuser as _refuser

    __getattr__ = _refuser(
        __name__,
        {
            "multi_head_attention_forward": "nn.MultiheadAttention, or scaled_dot_product_attention",
            "upsample": "interpolate",
            **{
                f"{name}_": f"{name}: tensors are immutable"
                for name in ("celu", "elu", "hardtanh", "leaky_relu", "relu", "rrelu", "selu", "threshold")
            },
        },
    )
