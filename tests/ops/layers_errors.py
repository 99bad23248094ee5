"""What layers refuse, when they are made and when they are called; see ``errors.py``. ``layers`` has more."""

from __future__ import annotations

import backburner as bb
from backburner import nn
from ops.errors import A, Bad, I, S, T, image, scores, v

adaptive = nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3])
spread = nn.ConvTranspose1d(1, 1, 3, 2)
SOFTMAX = "AdaptiveLogSoftmaxWithLoss"

REFUSED = (
    Bad(lambda: nn.ReLU("yes"), T, "ReLU: inplace must be True or False, got 'yes'."),
    Bad(lambda: nn.CELU(0.0), A, "CELU: alpha must not be 0."),
    Bad(lambda: nn.Hardtanh(1, 0), A, "Hardtanh: min_val must be below max_val, got 1 and 0."),
    Bad(lambda: nn.RReLU(1, 0), A, "RReLU: lower 1 is above upper 0."),
    Bad(lambda: nn.Softplus(0.0), A, "Softplus: beta must not be 0."),
    Bad(lambda: nn.Softshrink(-1), A, "Softshrink: lambd must be at least 0, got -1."),
    Bad(lambda: nn.Softmax2d()(scores), S, "Softmax2d: the input must be [n, c, h, w] or [c, h, w], got [2, 3]."),
    Bad(lambda: nn.PReLU(0), A, "PReLU: num_parameters must be at least 1, got 0."),
    Bad(lambda: nn.NLLLoss([1.0]), T, "NLLLoss: weight must be a Tensor, got list. Use bb.tensor."),
    Bad(lambda: nn.MSELoss("max"), A, "MSELoss: reduction must be one of mean, sum, none, got 'max'."),
    Bad(lambda: nn.HuberLoss(delta=0.0), A, "HuberLoss: delta must be positive, got 0."),
    Bad(lambda: nn.MultiMarginLoss(3), A, "MultiMarginLoss: p must be 1 or 2, got 3."),
    Bad(lambda: nn.TripletMarginLoss(p=0.0), A, "TripletMarginLoss: p must be positive, got 0.0."),
    Bad(lambda: nn.TripletMarginWithDistanceLoss(distance_function="l2"), T,  # type: ignore[arg-type]
        "TripletMarginWithDistanceLoss: distance_function must be a function of two tensors, got 'l2'."),
    Bad(lambda: nn.Conv2d(2, 2, 3, 2, "same"), A, "Conv2d: padding='same' takes stride 1, got 2."),
    Bad(lambda: nn.Conv2d(2, 2, 3, padding_mode="wrap"), A,
        "Conv2d: padding_mode must be one of zeros, reflect, replicate, circular, got 'wrap'."),
    Bad(lambda: nn.ConvTranspose2d(2, 2, 3, padding_mode="reflect"), A,
        "ConvTranspose2d: padding_mode must be 'zeros', got 'reflect'."),
    Bad(lambda: nn.ConvTranspose2d(2, 2, 3, output_padding=1), A,
        "ConvTranspose2d: output_padding must be less than stride or dilation, got 1, stride 1, dilation 1."),
    Bad(lambda: spread(bb.ones((1, 1, 4)), output_size=[9, 9]), A,
        "ConvTranspose1d: output_size has 1 sizes, or all 3 of the output, got [9, 9]."),
    Bad(lambda: spread(bb.ones((1, 1, 4)), output_size=[11]), A,
        "ConvTranspose1d: output_size [11] cannot come from [1, 1, 4]: it is from [9] to [10]."),
    Bad(lambda: nn.Embedding(3, 2, _weight=[[1.0]]), T,  # type: ignore[arg-type]
        "Embedding: _weight must be a Tensor, got list. Use bb.tensor."),
    Bad(lambda: nn.Embedding(3, 2, _weight=v), S, "Embedding: _weight must be [3, 2], got [3]."),
    Bad(lambda: nn.EmbeddingBag.from_pretrained(v), S,
        "EmbeddingBag.from_pretrained: embeddings must be [n, d], got [3]."),
    Bad(lambda: nn.Embedding.from_pretrained([[1.0]]), T,  # type: ignore[arg-type]
        "Embedding.from_pretrained: embeddings must be a Tensor, got list. Use bb.asarray."),
    Bad(lambda: nn.GroupNorm(3, 4), A, "GroupNorm: 4 channels do not divide into 3 groups."),
    Bad(lambda: nn.GroupNorm(2, 4)(image), S, "GroupNorm: takes 4 channels, got [1, 2, 4, 4] with 2."),
    Bad(lambda: nn.Upsample(), A, "Upsample: takes either size or scale_factor, got None and None."),
    Bad(lambda: nn.AvgPool2d(2, divisor_override=0), A, "AvgPool2d: divisor_override must not be 0."),
    Bad(lambda: nn.FractionalMaxPool2d(2), A, "FractionalMaxPool2d: takes either output_size or output_ratio."),
    Bad(lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5), A,
        "FractionalMaxPool2d: output_ratio must be in (0, 1), one number or 2, got (1.5, 1.5)."),
    Bad(lambda: nn.AdaptiveAvgPool2d((1, 2, 3)), A,
        "AdaptiveAvgPool2d: output_size takes one int or None, or 2, got (1, 2, 3)."),
    Bad(lambda: nn.AdaptiveMaxPool1d(0), A, "AdaptiveMaxPool1d: output_size must be at least 1, got 0."),
    Bad(lambda: nn.Unflatten(1, 3), A,  # type: ignore[arg-type]
        "Unflatten: unflattened_size is a tuple of sizes, not 3."),
    Bad(lambda: nn.Unflatten(1, (-1, -1)), A,
        "Unflatten: unflattened_size needs sizes, of which one may be -1, got (-1, -1)."),
    Bad(lambda: nn.Unflatten(1, (2, 2))(scores), S, "Unflatten: axis 1 of [2, 3] does not divide into [2, 2]."),
    Bad(lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 9, []), A,
        f"{SOFTMAX}: cutoffs is a sequence of at least one class, got []."),
    Bad(lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 9, [5, 3]), A,
        f"{SOFTMAX}: cutoffs must rise and stay below 9, got [5, 3]."),
    Bad(lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 9, [5], 0.0), A,
        f"{SOFTMAX}: div_value must be positive, got 0.0."),
    Bad(lambda: nn.AdaptiveLogSoftmaxWithLoss(3, 9, [5]), A,
        f"{SOFTMAX}: cluster 0 has no features: 3 / 4 ** 1. Use a smaller div_value or fewer cutoffs."),
    Bad(lambda: adaptive(bb.ones((2, 4)), [1]), S,
        f"{SOFTMAX}: takes [n, 4] with targets [n], or one without n, got [2, 4] and [1]."),
    Bad(lambda: adaptive(bb.ones((1, 4)), [9]), I, f"{SOFTMAX}: targets are in [0, 9), got 9 to 9."),
    Bad(lambda: adaptive.predict(v), S, f"{SOFTMAX}: takes [n, 4], got [3]."),
)  # fmt: skip
