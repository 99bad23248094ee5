"""The contracts of what layers compute: windows, norms, attention, recurrences."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Pair, Shape, Triple


class Conv(Protocol):
    """The ops of family ``conv``; ``backburner.backend`` says what they may rely on."""

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

    def conv3d(
        self, x: Array, weight: Array, bias: Array | None, /,
        *, stride: Triple, padding: Triple, dilation: Triple, groups: int,
    ) -> Array:  # fmt: skip
        """Return the cross-correlation of volumes with kernels, padded by zeros on all sides.

        Shape:
            x ``[n, c, d, h, w]``, weight ``[o, c / groups, kd, kh, kw]``, bias ``[o]``; result
            ``[n, o, od, oh, ow]``, each size as in ``conv2d``.
        """
        ...


class ConvTranspose(Protocol):
    """The ops of family ``convtranspose``; ``backburner.backend`` says what they may rely on."""

    def conv_transpose2d(
        self, x: Array, weight: Array, bias: Array | None, /,
        *, stride: Pair, padding: Pair, output_padding: Pair, dilation: Pair, groups: int,
    ) -> Array:  # fmt: skip
        """Return what images give when each input is spread over a kernel: the adjoint of ``conv2d``.

        Shape:
            x ``[n, c, h, w]``, weight ``[c, o / groups, kh, kw]``, bias ``[o]``; result ``[n, o, oh, ow]`` with
            ``oh = (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1``, at least 1;
            ``h`` and ``w`` are at least 1.
        """
        ...

    def conv_transpose3d(
        self, x: Array, weight: Array, bias: Array | None, /,
        *, stride: Triple, padding: Triple, output_padding: Triple, dilation: Triple, groups: int,
    ) -> Array:  # fmt: skip
        """Return what volumes give when each input is spread over a kernel: the adjoint of ``conv3d``.

        Shape:
            x ``[n, c, d, h, w]``, weight ``[c, o / groups, kd, kh, kw]``, bias ``[o]``; result
            ``[n, o, od, oh, ow]``, each size as in ``conv_transpose2d``.
        """
        ...


class Unpool(Protocol):
    """The ops of family ``unpool``; ``backburner.backend`` says what they may rely on."""

    def max_unpool2d(self, x: Array, indices: Array, /, *, size: Pair) -> Array:
        """Return planes of ``size`` with the elements of ``x`` at their indices, and 0 elsewhere.

        Of several with one index the last stays, which alone gets the gradient.

        Shape:
            x ``[n, c, h, w]``, indices the same, in ``[0, size[0] * size[1])``; result ``[n, c, *size]``.
        """
        ...


class MaxPool(Protocol):
    """The ops of family ``maxpool``; ``backburner.backend`` says what they may rely on."""

    def max_pool2d(
        self, x: Array, /,
        *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool, return_indices: bool,
    ) -> tuple[Array, Array | None]:  # fmt: skip
        """Return the largest element of each window, and where asked for its index.

        The first of equals has the index and gets the gradient, but the last NaN, if there is one. An index,
        int64 without gradient, counts in row-major order within the plane, padding not included; -1 is for
        a window that meets no input. The padding, at most half the kernel, is the lowest value of the dtype.
        With ``ceil_mode`` a last window may hang over the end, if it starts inside the input or its left padding.

        Shape:
            x ``[n, c, h, w]``; results ``[n, c, oh, ow]``.
        """
        ...


class Pool(Protocol):
    """The ops of family ``pool``; ``backburner.backend`` says what they may rely on."""

    def avg_pool2d(
        self, x: Array, /,
        *, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool,
        divisor_override: int | None,
    ) -> Array:  # fmt: skip
        """Return the mean of each window.

        The divisor counts the taps inside the padded input, or with ``count_include_pad=False`` inside the
        input; never the overhang of ``ceil_mode``. ``divisor_override`` takes its place.

        Shape:
            x ``[n, c, h, w]``; result ``[n, c, oh, ow]``.
        """
        ...


class Folding(Protocol):
    """The ops of family ``folding``; ``backburner.backend`` says what they may rely on."""

    def unfold(self, x: Array, /, *, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair) -> Array:
        """Return the windows of images, padded by zeros on both sides, each as a column.

        Shape:
            x ``[n, c, h, w]``; result ``[n, c * kh * kw, oh * ow]``, with ``oh`` and ``ow`` as in ``conv2d``.
        """
        ...

    def fold(
        self, x: Array, /,
        *, output_size: Pair, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair,
    ) -> Array:  # fmt: skip
        """Return the images that columns add up to: the adjoint of ``unfold``.

        Shape:
            x ``[n, c * kh * kw, oh * ow]``, result ``[n, c, *output_size]``.
        """
        ...


class Resample(Protocol):
    """The ops of family ``resample``; ``backburner.backend`` says what they may rely on."""

    def interpolate(
        self, x: Array, /,
        *, size: Shape, mode: str, ratios: tuple[float | None, ...], align_corners: bool, antialias: bool,
    ) -> Array:  # fmt: skip
        """Return ``x`` at another size of its last axes, each output a weighted mean of a window of inputs.

        ``mode`` is ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"cubic"``, ``"lanczos"`` (with
        ``antialias`` only) or ``"area"``; ``functional.interpolate`` says where their windows are. A ratio is
        the distance of two outputs in inputs, ``None`` for that of the sizes. Integers come with a nearest
        mode only.

        Shape:
            x ``[..., n...]``, no ``n`` being 0; result ``[..., size...]``.
        """
        ...

    def grid_sample(
        self, x: Array, grid: Array, /, *, mode: str, padding_mode: str, align_corners: bool
    ) -> Array:
        """Return ``x`` at the places that ``grid`` names: as coordinates from -1 to 1, that of the last axis first.

        ``mode`` is ``"bilinear"``, ``"nearest"`` or ``"bicubic"``, ``padding_mode`` is ``"zeros"``,
        ``"border"`` or ``"reflection"``. A NaN coordinate gives NaN, and no gradient.

        Shape:
            x ``[n, c, h, w]``, grid ``[n, oh, ow, 2]``, result ``[n, c, oh, ow]``; or ``[n, c, d, h, w]``,
            ``[n, od, oh, ow, 3]`` and ``[n, c, od, oh, ow]``. No axis of an image is empty.
        """
        ...


class Norm(Protocol):
    """The ops of family ``norm``; ``backburner.backend`` says what they may rely on."""

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

    def normalize_channels(
        self, x: Array, mean: Array, var: Array, weight: Array | None, bias: Array | None, /, *, eps: float
    ) -> Array:
        """Return ``(x - mean) / sqrt(var + eps) * weight + bias``: batch norm by given statistics.

        Shape:
            x ``[n, c, ...]``; mean, var, weight, bias ``[c]``.
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

    def rms_norm(self, x: Array, weight: Array | None, /, *, ndim: int, eps: float) -> Array:
        """Return ``x`` over the root of its mean square along the last ``ndim`` dimensions, times ``weight``.

        Shape:
            x ``[..., d...]``, weight ``[d...]`` of ``ndim`` dimensions.
        """
        ...

    def group_norm(
        self, x: Array, weight: Array | None, bias: Array | None, /, *, groups: int, eps: float
    ) -> Array:
        """Normalise each of ``groups`` runs of channels of each example by its own mean and biased variance.

        Shape:
            x ``[n, c, ...]`` with ``c`` a multiple of ``groups``, weight and bias ``[c]``.
        """
        ...


class Dropout(Protocol):
    """The op of family ``dropout``; ``backburner.backend`` says what it may rely on."""

    def dropout(self, x: Array, /, *, p: float, seed: int) -> Array:
        """Zero each element with probability ``p`` and scale the rest by ``1 / (1 - p)``.

        A pure function: ``seed`` decides the mask, so that a recomputation draws the same one.
        """
        ...


class Attention(Protocol):
    """The ops of family ``attention``; ``backburner.backend`` says what they may rely on."""

    def scaled_dot_product_attention(
        self, query: Array, key: Array, value: Array, attn_mask: Array | None, /, *,
        is_causal: bool, scale: float, dropout_p: float, seed: int,
    ) -> Array:  # fmt: skip
        """Return ``softmax(scale * query @ key.T + attn_mask) @ value``, in memory linear in both lengths.

        query ``[..., h, l, e]``, key ``[..., k, s, e]``, value ``[..., k, s, d]``: ``h`` is a multiple of ``k``, and
        as many heads in a row share a key; the dimensions before broadcast, and result ``[..., h, l, d]``.
        attn_mask broadcasts to ``[..., h, l, s]``: a bool one says which keys take part, a float one is added.
        With ``is_causal`` only keys up to the query's own place take part, counted from the front. A row in
        which no key does is 0, and what a key that takes no part holds does not matter, NaN included. Weights
        are dropped with probability ``dropout_p``, and the rest scaled, by a mask that ``seed`` decides.
        """
        ...


class Recurrent(Protocol):
    """The ops of family ``recurrent``; ``backburner.backend`` says what they may rely on.

    Each is one layer in one direction over a whole sequence, x ``[t, n, c]`` of at least one step, from the states
    before it, ``[n, h]``. It returns the states of all steps ``[t, n, h]`` and each sequence's last. The rows of the
    weights, and the biases, which may be ``None``, are those of the gates end to end. ``lengths``, int64 ``[n]`` up
    to ``t``, says where each sequence ends: what is after that does not matter and comes out as 0. With ``reverse``
    a sequence is read from its end, and its last state is that at its first step.
    """

    def rnn(
        self, x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
        lengths: Array | None, /, *, nonlinearity: str, reverse: bool,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Return all states and the last: ``h = f(w_ih x + b_ih + w_hh h + b_hh)``, ``f`` of ``"tanh"`` or ``"relu"``."""
        ...

    def gru(
        self, x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
        lengths: Array | None, /, *, reverse: bool,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Return all states and the last: ``h = (1 - z) n + z h``, of the gates r, z and the new n, in this order.

        r and z are ``sigmoid(w_ih x + b_ih + w_hh h + b_hh)`` and n is ``tanh(w_ih x + b_ih + r (w_hh h + b_hh))``,
        each by its own rows.
        """
        ...

    def lstm(
        self, x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
        w_hr: Array | None, lengths: Array | None, /, *, reverse: bool,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Return all states, the last, and the last cell: ``c = f c + i g``, ``h = o tanh(c)``, gates i, f, g, o.

        i, f and o are ``sigmoid(w_ih x + b_ih + w_hh h + b_hh)`` and g is ``tanh`` of it, each by its own rows. With
        w_hr ``[p, h]`` the state is ``w_hr (o tanh(c))`` of size ``p``; a cell is ``[n, h]`` still.
        """
        ...
