"""``NumpyBackend``: the index of the NumPy ops."""

from __future__ import annotations

from backburner import _memory
from backburner.backends.numpy import (
    activation,
    attention,
    bitwise,
    comparison,
    conv,
    convtranspose,
    creation,
    ctc,
    decompositions,
    distance,
    dropout,
    elementwise,
    floating,
    folding,
    gamma,
    indexing,
    linalg,
    loss,
    margin,
    maxpool,
    norm,
    piecewise,
    pool,
    recurrent,
    reduction,
    regression,
    resample,
    rounding,
    scan,
    shape,
    sorting,
    trigonometric,
    unpool,
    windows,
)

_memory.keep()


class NumpyBackend:
    """The ops of ``Backend`` on NumPy arrays, one function or ufunc per line.

    The files of this directory hold them by family.
    """

    __slots__ = ()

    add = staticmethod(elementwise.add)
    subtract = staticmethod(elementwise.subtract)
    multiply = staticmethod(elementwise.multiply)
    divide = staticmethod(elementwise.divide)
    pow = staticmethod(elementwise.pow)
    maximum = staticmethod(elementwise.maximum)
    minimum = staticmethod(elementwise.minimum)
    negative = staticmethod(elementwise.negative)
    abs = staticmethod(elementwise.abs)
    exp = staticmethod(elementwise.exp)
    log = staticmethod(elementwise.log)
    sqrt = staticmethod(elementwise.sqrt)
    square = staticmethod(elementwise.square)
    tanh = staticmethod(elementwise.tanh)
    erf = staticmethod(elementwise.erf)
    erfc = staticmethod(elementwise.erfc)
    erfinv = staticmethod(elementwise.erfinv)
    lgamma = staticmethod(gamma.lgamma)
    digamma = staticmethod(gamma.digamma)
    expm1 = staticmethod(elementwise.expm1)
    log1p = staticmethod(elementwise.log1p)
    log2 = staticmethod(elementwise.log2)
    log10 = staticmethod(elementwise.log10)
    logaddexp = staticmethod(elementwise.logaddexp)
    hypot = staticmethod(elementwise.hypot)
    where = staticmethod(elementwise.where)
    clip = staticmethod(elementwise.clip)
    astype = staticmethod(elementwise.astype)
    equal = staticmethod(comparison.equal)
    not_equal = staticmethod(comparison.not_equal)
    less = staticmethod(comparison.less)
    less_equal = staticmethod(comparison.less_equal)
    greater = staticmethod(comparison.greater)
    greater_equal = staticmethod(comparison.greater_equal)
    logical_not = staticmethod(comparison.logical_not)
    logical_and = staticmethod(comparison.logical_and)
    logical_or = staticmethod(comparison.logical_or)

    sin = staticmethod(trigonometric.sin)
    cos = staticmethod(trigonometric.cos)
    tan = staticmethod(trigonometric.tan)
    asin = staticmethod(trigonometric.asin)
    acos = staticmethod(trigonometric.acos)
    atan = staticmethod(trigonometric.atan)
    atan2 = staticmethod(trigonometric.atan2)
    sinh = staticmethod(trigonometric.sinh)
    cosh = staticmethod(trigonometric.cosh)
    asinh = staticmethod(trigonometric.asinh)
    acosh = staticmethod(trigonometric.acosh)
    atanh = staticmethod(trigonometric.atanh)

    sign = staticmethod(rounding.sign)
    floor = staticmethod(rounding.floor)
    ceil = staticmethod(rounding.ceil)
    round = staticmethod(rounding.round)
    trunc = staticmethod(rounding.trunc)
    floor_divide = staticmethod(rounding.floor_divide)
    remainder = staticmethod(rounding.remainder)

    isnan = staticmethod(floating.isnan)
    isinf = staticmethod(floating.isinf)
    isfinite = staticmethod(floating.isfinite)
    signbit = staticmethod(floating.signbit)
    copysign = staticmethod(floating.copysign)
    nextafter = staticmethod(floating.nextafter)

    bitwise_and = staticmethod(bitwise.bitwise_and)
    bitwise_or = staticmethod(bitwise.bitwise_or)
    bitwise_xor = staticmethod(bitwise.bitwise_xor)
    bitwise_invert = staticmethod(bitwise.bitwise_invert)
    bitwise_left_shift = staticmethod(bitwise.bitwise_left_shift)
    bitwise_right_shift = staticmethod(bitwise.bitwise_right_shift)

    relu = staticmethod(activation.relu)
    sigmoid = staticmethod(activation.sigmoid)
    sliding_windows = staticmethod(windows.sliding_windows)
    gelu = staticmethod(activation.gelu)
    silu = staticmethod(activation.silu)
    elu = staticmethod(activation.elu)
    softplus = staticmethod(activation.softplus)
    mish = staticmethod(activation.mish)
    softsign = staticmethod(activation.softsign)
    glu = staticmethod(activation.glu)
    softmax = staticmethod(activation.softmax)
    log_softmax = staticmethod(activation.log_softmax)

    dropout = staticmethod(dropout.dropout)

    prelu = staticmethod(piecewise.prelu)
    piecewise = staticmethod(piecewise.piecewise)  # last, as it hides the module

    rnn = staticmethod(recurrent.rnn)
    gru = staticmethod(recurrent.gru)
    lstm = staticmethod(recurrent.lstm)

    scaled_dot_product_attention = staticmethod(attention.scaled_dot_product_attention)

    sum = staticmethod(reduction.sum)
    mean = staticmethod(reduction.mean)
    max = staticmethod(reduction.max)
    min = staticmethod(reduction.min)
    var = staticmethod(reduction.var)
    logsumexp = staticmethod(reduction.logsumexp)
    argmax = staticmethod(reduction.argmax)
    argmin = staticmethod(reduction.argmin)
    any = staticmethod(reduction.any)
    all = staticmethod(reduction.all)
    prod = staticmethod(reduction.prod)
    std = staticmethod(reduction.std)
    vector_norm = staticmethod(reduction.vector_norm)
    median = staticmethod(reduction.median)

    interpolate = staticmethod(resample.interpolate)
    grid_sample = staticmethod(resample.grid_sample)

    cumulative_sum = staticmethod(scan.cumulative_sum)
    cumulative_prod = staticmethod(scan.cumulative_prod)
    cummax = staticmethod(scan.cummax)
    cummin = staticmethod(scan.cummin)

    sort = staticmethod(sorting.sort)
    argsort = staticmethod(sorting.argsort)
    topk = staticmethod(sorting.topk)
    searchsorted = staticmethod(sorting.searchsorted)
    nonzero = staticmethod(sorting.nonzero)
    unique_all = staticmethod(sorting.unique_all)

    matmul = staticmethod(linalg.matmul)
    linear = staticmethod(linalg.linear)

    cholesky = staticmethod(decompositions.cholesky)
    det = staticmethod(decompositions.det)
    eigh = staticmethod(decompositions.eigh)
    eigvalsh = staticmethod(decompositions.eigvalsh)
    inv = staticmethod(decompositions.inv)
    pinv = staticmethod(decompositions.pinv)
    qr = staticmethod(decompositions.qr)
    slogdet = staticmethod(decompositions.slogdet)
    solve = staticmethod(decompositions.solve)
    svd = staticmethod(decompositions.svd)
    svdvals = staticmethod(decompositions.svdvals)

    cdist = staticmethod(distance.cdist)

    reshape = staticmethod(shape.reshape)
    permute_dims = staticmethod(shape.permute_dims)
    broadcast_to = staticmethod(shape.broadcast_to)
    concat = staticmethod(shape.concat)
    stack = staticmethod(shape.stack)
    split = staticmethod(shape.split)
    pad = staticmethod(shape.pad)

    getitem = staticmethod(indexing.getitem)
    take = staticmethod(indexing.take)
    take_along_axis = staticmethod(indexing.take_along_axis)
    at = staticmethod(indexing.at)
    embedding = staticmethod(indexing.embedding)
    embedding_bag = staticmethod(indexing.embedding_bag)

    conv2d = staticmethod(conv.conv2d)
    conv3d = staticmethod(conv.conv3d)

    conv_transpose2d = staticmethod(convtranspose.conv_transpose2d)
    conv_transpose3d = staticmethod(convtranspose.conv_transpose3d)

    unfold = staticmethod(folding.unfold)
    fold = staticmethod(folding.fold)

    avg_pool2d = staticmethod(pool.avg_pool2d)

    max_pool2d = staticmethod(maxpool.max_pool2d)

    max_unpool2d = staticmethod(unpool.max_unpool2d)

    batch_norm = staticmethod(norm.batch_norm)
    normalize_channels = staticmethod(norm.normalize_channels)
    layer_norm = staticmethod(norm.layer_norm)
    rms_norm = staticmethod(norm.rms_norm)
    group_norm = staticmethod(norm.group_norm)

    cross_entropy = staticmethod(loss.cross_entropy)
    binary_cross_entropy = staticmethod(loss.binary_cross_entropy)
    binary_cross_entropy_with_logits = staticmethod(loss.binary_cross_entropy_with_logits)
    kl_div = staticmethod(loss.kl_div)

    huber_loss = staticmethod(regression.huber_loss)

    multi_margin_loss = staticmethod(margin.multi_margin_loss)
    multilabel_margin_loss = staticmethod(margin.multilabel_margin_loss)

    ctc_loss = staticmethod(ctc.ctc_loss)

    full = staticmethod(creation.full)
    arange = staticmethod(creation.arange)
    linspace = staticmethod(creation.linspace)
    eye = staticmethod(creation.eye)
    random = staticmethod(creation.random)
