"""``Backend``: the primitive ops and their contracts.

An op takes arrays by position and options by keyword. What an op may rely on, because the public
functions in ``backburner.ops`` and ``backburner.nn.functional`` see to it before a backend is reached:

* all float inputs of one call share a dtype; integer inputs that index are in range and int64;
* an axis is a non-negative int, several axes are a sorted tuple of them, ``None`` never occurs;
* shapes, options and dtypes have been checked, so an op raises nothing for bad input;
* scalars have become 0-d arrays; an optional input that is absent is ``None``.

An op never writes into an input. What it returns is a new array or a view of an input; of a 0-d result it
may return NumPy's scalar, which Tensor and recorder turn back into an array. Floats stay in their dtype.
In the shapes below, ``...`` is any number of dimensions and a letter stands for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from backburner._elementwise import Array as Array
from backburner._elementwise import Elementwise
from backburner.dtype import DType

Shape = tuple[int, ...]
Axes = tuple[int, ...]
Pair = tuple[int, int]


class Backend(Elementwise, Protocol):
    """The list of primitive ops. Nobody inherits from it; a backend has these members."""

    # -- activation ------------------------------------------------------------------------------------

    def relu(self, x: Array, /) -> Array:
        """Return ``max(x, 0)``; the gradient at 0 is 0, and NaN stays NaN."""
        ...

    def sigmoid(self, x: Array, /) -> Array:
        """Return ``1 / (1 + exp(-x))`` without overflow."""
        ...

    def gelu(self, x: Array, /, *, approximate: str) -> Array:
        """Return ``x * Phi(x)``: with erf for ``"none"``, by tanh for ``"tanh"``."""
        ...

    def softmax(self, x: Array, /, *, axis: int) -> Array:
        """Return ``exp(x) / sum(exp(x))`` along ``axis``. An axis that is all ``-inf`` gives NaN."""
        ...

    def log_softmax(self, x: Array, /, *, axis: int) -> Array:
        """Return ``x - logsumexp(x)`` along ``axis``."""
        ...

    def dropout(self, x: Array, /, *, p: float, seed: int) -> Array:
        """Zero each element with probability ``p`` and scale the rest by ``1 / (1 - p)``.

        A pure function: ``seed`` decides the mask, so that a recomputation draws the same one.
        """
        ...

    # -- reduction -------------------------------------------------------------------------------------

    def sum(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the sum, accurate for 10^8 float32. Integers add up in int64 or uint64."""
        ...

    def mean(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the mean, of floats; NaN of nothing."""
        ...

    def max(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the largest element; ties share the gradient evenly. The reduced size is not 0."""
        ...

    def min(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the smallest element; ties share the gradient evenly. The reduced size is not 0."""
        ...

    def var(self, x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
        """Return the variance with divisor ``n - correction``, of floats, in two passes."""
        ...

    def logsumexp(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return ``log(sum(exp(x)))`` of floats; of all ``-inf``: ``-inf``, with gradient 0."""
        ...

    def argmax(self, x: Array, /, *, axis: int, keepdims: bool) -> Array:
        """Return the first index of the largest element along ``axis``, int64. No gradient."""
        ...

    def argmin(self, x: Array, /, *, axis: int, keepdims: bool) -> Array:
        """Return the first index of the smallest element along ``axis``, int64. No gradient."""
        ...

    def any(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return whether an element is not 0, as bool; of nothing False. No gradient."""
        ...

    def all(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return whether no element is 0, as bool; of nothing True. No gradient."""
        ...

    def prod(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the product, integers in int64 or uint64; the gradient is exact with zeros too."""
        ...

    def std(self, x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
        """Return the root of ``var``, of floats; where that is 0 the gradient is 0."""
        ...

    def vector_norm(self, x: Array, /, *, axis: Axes, ord: float, keepdims: bool) -> Array:
        """Return ``sum(|x|^ord)^(1/ord)`` of floats, ``ord`` positive and finite, without overflow.

        The gradient at 0 is 0: of the zero vector, and of elements that are 0.
        """
        ...

    def median(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the middle element of floats, or the mean of the two; NaN if one is.

        What equals a middle element shares its gradient evenly. The reduced size is not 0.
        """
        ...

    # -- scan ------------------------------------------------------------------------------------------

    def cumulative_sum(self, x: Array, /, *, axis: int) -> Array:
        """Return the sums up to each element, accurate for 10^8 float32. Integers add up as in ``sum``."""
        ...

    def cumulative_prod(self, x: Array, /, *, axis: int) -> Array:
        """Return the products up to each element, integers as in ``prod``; the gradient is exact with zeros."""
        ...

    def cummax(self, x: Array, /, *, axis: int) -> tuple[Array, Array]:
        """Return the largest element up to each place and its first index, which alone gets the gradient.

        NaN counts as the largest. The index, int64, has no gradient.
        """
        ...

    def cummin(self, x: Array, /, *, axis: int) -> tuple[Array, Array]:
        """Return the smallest element up to each place and its first index, which alone gets the gradient.

        NaN counts as the smallest. The index, int64, has no gradient.
        """
        ...

    # -- sorting: NaN comes after all numbers, and equal elements keep their order ---------------------

    def sort(self, x: Array, /, *, axis: int, descending: bool) -> Array:
        """Return the elements in order along ``axis``."""
        ...

    def argsort(self, x: Array, /, *, axis: int, descending: bool) -> Array:
        """Return the indices along ``axis``, int64, that ``sort`` goes by. No gradient."""
        ...

    def topk(self, x: Array, /, *, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
        """Return the ``k`` largest or smallest elements in order and their indices, int64 without gradient.

        Of equal elements the first are taken, in their order. ``k`` is at most the length of ``axis``.
        """
        ...

    def searchsorted(self, x1: Array, x2: Array, /, *, side: str) -> Array:
        """Return for each of ``x2`` its place in the sorted ``x1``, int64. No gradient.

        ``side`` says whether before (``"left"``) or after (``"right"``) what is equal to it.

        Shape:
            x1 ``[n]``, x2 ``[...]`` of the same dtype; result ``[...]`` in ``[0, n]``.
        """
        ...

    def nonzero(self, x: Array, /) -> tuple[Array, ...]:
        """Return the indices of what is not 0 along each axis, int64, in row-major order. No gradient."""
        ...

    def unique_all(self, x: Array, /) -> tuple[Array, Array, Array, Array]:
        """Return what occurs, sorted, and int64 without gradient: first indices, inverse and counts.

        Indices are into the flattened array. Each NaN is one of its own. The gradient of a value goes to the
        first that equals it.

        Shape:
            x ``[...]``; values, indices and counts ``[u]``, inverse ``[...]``.
        """
        ...

    # -- linalg ----------------------------------------------------------------------------------------

    def matmul(self, x: Array, y: Array, /) -> Array:
        """Return the matrix product, with batch dimensions broadcast and vectors as in NumPy.

        Shape:
            x ``[..., n, k]`` or ``[k]``, y ``[..., k, m]`` or ``[k]``.
        """
        ...

    def linear(self, x: Array, weight: Array, bias: Array | None, /) -> Array:
        """Return ``x @ weight.T + bias``.

        Shape:
            x ``[..., i]``, weight ``[o, i]``, bias ``[o]``; result ``[..., o]``.
        """
        ...

    # -- shape -----------------------------------------------------------------------------------------

    def reshape(self, x: Array, /, *, shape: Shape) -> Array:
        """Return the elements in row-major order under another shape, of no ``-1``."""
        ...

    def permute_dims(self, x: Array, /, *, axes: Axes) -> Array:
        """Return a view with its axes in the order of ``axes``, a permutation."""
        ...

    def broadcast_to(self, x: Array, /, *, shape: Shape) -> Array:
        """Return a view repeated along dimensions of size 1 and new leading ones."""
        ...

    def concat(self, *xs: Array, axis: int) -> Array:
        """Return the arrays joined along an axis they have."""
        ...

    def stack(self, *xs: Array, axis: int) -> Array:
        """Return equally shaped arrays joined along a new axis."""
        ...

    def split(self, x: Array, /, *, sizes: tuple[int, ...], axis: int) -> tuple[Array, ...]:
        """Return views of ``sizes[i]`` entries each along ``axis``; the sizes add up to its length."""
        ...

    def pad(self, x: Array, /, *, pad_width: tuple[Pair, ...], value: float) -> Array:
        """Return ``x`` in a frame of ``value``, ``(before, after)`` entries wide on each axis, none negative."""
        ...

    # -- indexing --------------------------------------------------------------------------------------

    def getitem(self, x: Array, /, *, index: tuple[Any, ...]) -> Array:
        """Return ``x[index]`` of ints, slices, ``None``, ``...``, and int64 or bool arrays, in range.

        A position that is picked twice gets the sum of both gradients.
        """
        ...

    def take(self, x: Array, indices: Array, /, *, axis: int) -> Array:
        """Return the entries ``indices`` (int64 of any rank, in ``[0, n)``) along ``axis``.

        Shape:
            x ``[a..., n, b...]``, indices ``[i...]``; result ``[a..., i..., b...]``.
        """
        ...

    def take_along_axis(self, x: Array, indices: Array, /, *, axis: int) -> Array:
        """Return from each line along ``axis`` the entries that the same line of ``indices`` names.

        Shape:
            x ``[a..., n, b...]``, indices ``[a..., k, b...]`` of int64 in ``[0, n)``; result like indices.
        """
        ...

    def at(self, x: Array, values: Array, /, *, index: tuple[Any, ...], mode: str) -> Array:
        """Return a copy of ``x`` with ``values`` (of its dtype) put at ``index``, which is as for ``getitem``.

        ``mode`` is ``"set"``, where the last of several values in one place stays and alone gets the gradient,
        or ``"add"``, ``"multiply"``, ``"min"`` or ``"max"``, where every value counts and ties share.

        Shape:
            values broadcast to ``x[index]``.
        """
        ...

    def embedding(self, weight: Array, indices: Array, /, *, padding_idx: int | None) -> Array:
        """Return the rows ``indices`` of ``weight``; row ``padding_idx`` gets no gradient.

        Shape:
            weight ``[n, d]``, indices ``[...]`` of int64 in ``[0, n)``; result ``[..., d]``.
        """
        ...

    # -- conv, pool ------------------------------------------------------------------------------------

    def conv2d(
        self, x: Array, weight: Array, bias: Array | None, /,
        *, stride: Pair, padding: Pair, dilation: Pair, groups: int,
    ) -> Array:  # fmt: skip
        """Return the cross-correlation of images with kernels, padded by zeros on both sides.

        Shape:
            x ``[n, c, h, w]``, weight ``[o, c / groups, kh, kw]``, bias ``[o]``; result ``[n, o, oh, ow]``
            with ``oh = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1``, at least 1.
        """
        ...

    def max_pool2d(
        self, x: Array, /, *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool
    ) -> Array:
        """Return the largest element of each window; the first of equals gets the gradient.

        The padding, at most half the kernel, is the lowest value of the dtype. With ``ceil_mode`` a last
        window may hang over the end, if it starts inside the input or its left padding.

        Shape:
            x ``[n, c, h, w]``; result ``[n, c, oh, ow]``.
        """
        ...

    def avg_pool2d(
        self, x: Array, /,
        *, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool,
    ) -> Array:  # fmt: skip
        """Return the mean of each window.

        The divisor counts the taps inside the padded input, or with ``count_include_pad=False`` inside the
        input; never the overhang of ``ceil_mode``.

        Shape:
            x ``[n, c, h, w]``; result ``[n, c, oh, ow]``.
        """
        ...

    # -- norm ------------------------------------------------------------------------------------------

    def batch_norm(
        self, x: Array, weight: Array | None, bias: Array | None, /, *, eps: float
    ) -> tuple[Array, Array, Array]:
        """Normalise each channel by the statistics of this batch.

        Returns:
            ``(x - mean) / sqrt(var + eps) * weight + bias``, and mean and biased variance, which are for
            running statistics and carry no gradient.

        Shape:
            x ``[n, c, ...]`` with at least two values per channel; weight, bias, mean, var ``[c]``.
        """
        ...

    def layer_norm(
        self, x: Array, weight: Array | None, bias: Array | None, /, *, ndim: int, eps: float
    ) -> Array:
        """Normalise the last ``ndim`` dimensions by their own mean and biased variance.

        Shape:
            x ``[..., d...]``, weight and bias ``[d...]`` of ``ndim`` dimensions.
        """
        ...

    # -- loss ------------------------------------------------------------------------------------------

    def cross_entropy(
        self, x: Array, target: Array, weight: Array | None, /,
        *, ignore_index: int, label_smoothing: float, reduction: str,
    ) -> Array:  # fmt: skip
        """Return ``-log_softmax(x)[target]``, smoothed, weighted by class, and reduced.

        A row whose target is ``ignore_index`` changes nothing: it gives 0 under ``"none"`` and ``"sum"``,
        and ``"mean"`` divides by the weights of the others; NaN, with gradient 0, if there are no others.
        Only ``x`` has a gradient. The formula with smoothing ``s`` over ``c`` classes is PyTorch's:
        ``(1 - s) * weight[t] * nll[t] + s / c * sum_j(weight[j] * nll[j])``.

        Shape:
            x ``[n, c]``, target ``[n]`` of int64 in ``[0, c)`` or ``ignore_index``, weight ``[c]``; result
            ``[n]`` for ``reduction="none"``, else ``[]`` for ``"mean"`` and ``"sum"``.
        """
        ...

    # -- creation: no gradient -------------------------------------------------------------------------

    def full(self, *, shape: Shape, value: Any, dtype: DType) -> Array:
        """Return an array of one value."""
        ...

    def arange(self, *, start: float, stop: float, step: float, dtype: DType) -> Array:
        """Return ``start, start + step, ...`` up to before ``stop``."""
        ...

    def linspace(self, *, start: float, stop: float, num: int, dtype: DType, endpoint: bool) -> Array:
        """Return ``num`` evenly spaced values."""
        ...

    def eye(self, *, rows: int, columns: int, k: int, dtype: DType) -> Array:
        """Return ones on the ``k``-th diagonal and zeros elsewhere."""
        ...

    def random(
        self, *, distribution: str, shape: Shape, dtype: DType, options: Sequence[Any], seed: int
    ) -> Array:
        """Return draws that ``seed`` decides.

        ``distribution`` is ``"uniform"`` with options ``(low, high)``, ``"normal"`` with ``(mean, std)``,
        ``"integers"`` with ``(low, high)`` of the half-open range, ``"bernoulli"`` with ``(p,)``, or
        ``"permutation"`` with ``(n,)``.
        """
        ...
