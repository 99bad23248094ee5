"""``NumpyBackend``: the index of the NumPy ops."""

from __future__ import annotations

from backburner.backends.numpy import (
    activation,
    conv,
    creation,
    elementwise,
    indexing,
    linalg,
    loss,
    norm,
    pool,
    reduction,
    shape,
)


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
    where = staticmethod(elementwise.where)
    clip = staticmethod(elementwise.clip)
    astype = staticmethod(elementwise.astype)
    equal = staticmethod(elementwise.equal)
    not_equal = staticmethod(elementwise.not_equal)
    less = staticmethod(elementwise.less)
    less_equal = staticmethod(elementwise.less_equal)
    greater = staticmethod(elementwise.greater)
    greater_equal = staticmethod(elementwise.greater_equal)
    logical_not = staticmethod(elementwise.logical_not)
    logical_and = staticmethod(elementwise.logical_and)
    logical_or = staticmethod(elementwise.logical_or)

    relu = staticmethod(activation.relu)
    sigmoid = staticmethod(activation.sigmoid)
    gelu = staticmethod(activation.gelu)
    softmax = staticmethod(activation.softmax)
    log_softmax = staticmethod(activation.log_softmax)
    dropout = staticmethod(activation.dropout)

    sum = staticmethod(reduction.sum)
    mean = staticmethod(reduction.mean)
    max = staticmethod(reduction.max)
    min = staticmethod(reduction.min)
    var = staticmethod(reduction.var)
    logsumexp = staticmethod(reduction.logsumexp)
    argmax = staticmethod(reduction.argmax)

    matmul = staticmethod(linalg.matmul)
    linear = staticmethod(linalg.linear)

    reshape = staticmethod(shape.reshape)
    permute_dims = staticmethod(shape.permute_dims)
    broadcast_to = staticmethod(shape.broadcast_to)
    concat = staticmethod(shape.concat)
    stack = staticmethod(shape.stack)
    split = staticmethod(shape.split)
    pad = staticmethod(shape.pad)

    getitem = staticmethod(indexing.getitem)
    take = staticmethod(indexing.take)
    embedding = staticmethod(indexing.embedding)

    conv2d = staticmethod(conv.conv2d)

    max_pool2d = staticmethod(pool.max_pool2d)
    avg_pool2d = staticmethod(pool.avg_pool2d)

    batch_norm = staticmethod(norm.batch_norm)
    layer_norm = staticmethod(norm.layer_norm)

    cross_entropy = staticmethod(loss.cross_entropy)

    full = staticmethod(creation.full)
    arange = staticmethod(creation.arange)
    linspace = staticmethod(creation.linspace)
    eye = staticmethod(creation.eye)
    random = staticmethod(creation.random)
