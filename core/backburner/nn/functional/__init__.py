"""Neural ops on tensors: PyTorch's names and arguments, an axis being ``axis``."""

from backburner.nn.functional.activation import dropout as dropout
from backburner.nn.functional.conv import conv1d as conv1d
from backburner.nn.functional.conv import conv2d as conv2d
from backburner.nn.functional.conv import conv3d as conv3d
from backburner.nn.functional.convtranspose import conv_transpose1d as conv_transpose1d
from backburner.nn.functional.convtranspose import conv_transpose2d as conv_transpose2d
from backburner.nn.functional.convtranspose import conv_transpose3d as conv_transpose3d
from backburner.nn.functional.ctc import ctc_loss as ctc_loss
from backburner.nn.functional.folding import channel_shuffle as channel_shuffle
from backburner.nn.functional.folding import fold as fold
from backburner.nn.functional.folding import pixel_shuffle as pixel_shuffle
from backburner.nn.functional.folding import pixel_unshuffle as pixel_unshuffle
from backburner.nn.functional.folding import unfold as unfold
from backburner.nn.functional.indexing import embedding as embedding
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
from backburner.nn.functional.norm import batch_norm as batch_norm
from backburner.nn.functional.norm import layer_norm as layer_norm
from backburner.nn.functional.pool import avg_pool2d as avg_pool2d
from backburner.nn.functional.pool import max_pool2d as max_pool2d
from backburner.nn.functional.regression import gaussian_nll_loss as gaussian_nll_loss
from backburner.nn.functional.regression import huber_loss as huber_loss
from backburner.nn.functional.regression import l1_loss as l1_loss
from backburner.nn.functional.regression import mse_loss as mse_loss
from backburner.nn.functional.regression import poisson_nll_loss as poisson_nll_loss
from backburner.nn.functional.regression import smooth_l1_loss as smooth_l1_loss
from backburner.ops.activation import gelu as gelu
from backburner.ops.activation import log_softmax as log_softmax
from backburner.ops.activation import relu as relu
from backburner.ops.activation import sigmoid as sigmoid
from backburner.ops.activation import softmax as softmax
from backburner.ops.elementwise import tanh as tanh
