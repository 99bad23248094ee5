"""Images at other sizes and other places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Shape
from backburner.errors import ArgumentError, ShapeError
from backburner.ops._operands import (
    MOST,
    chosen,
    flag,
    floating,
    integer,
    number,
    optional_flag,
    primitive,
    same_floats,
    shape_of,
)

Size = int | Sequence[int]
Scale = float | Sequence[float]

_MODES = {
    "nearest": ("nearest", (3, 4, 5)),
    "nearest-exact": ("nearest-exact", (3, 4, 5)),
    "linear": ("linear", (3,)),
    "bilinear": ("linear", (4,)),
    "trilinear": ("linear", (5,)),
    "bicubic": ("cubic", (4,)),
    "lanczos": ("lanczos", (4,)),
    "area": ("area", (3, 4, 5)),
}
_ALIGNED = ("linear", "bilinear", "bicubic", "trilinear")
_ANTIALIASED = ("bilinear", "bicubic", "lanczos")
_SAMPLED = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def interpolate(
    x: Tensor,
    size: Size | None = None,
    scale_factor: Scale | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Return signals, images or volumes at another size.

    Each output is a weighted mean of inputs. Output ``i`` of ``m`` lies at ``(i + 0.5) * r - 0.5`` among ``n``
    inputs, where ``r = n / m``; a constant image stays constant. Coordinates are PyTorch's.

    Args:
        x: the images; integers are taken as float32 where the mode mixes elements.
        size: the new size: one int, or one for each axis.
        scale_factor: instead of ``size``, what it is multiplied by; the result is rounded down.
        mode: ``"nearest"`` (the input at ``floor(i * r)``) and ``"nearest-exact"`` (at ``floor((i + 0.5) * r)``)
            pick; ``"linear"``, ``"bilinear"`` and ``"trilinear"``, for one, two and three axes, go straight from
            neighbour to neighbour; ``"bicubic"`` takes four per axis (Keys 1981, with a = -0.75, or -0.5 with
            ``antialias``) and ``"lanczos"`` six, and both may overshoot; ``"area"`` is ``adaptive_avg_pool``.
        align_corners: for linear modes and bicubic: the first and the last output lie on the first and the last
            input, with ``r = (n - 1) / (m - 1)``. With ``antialias``, as in PyTorch, only ``r`` changes.
        recompute_scale_factor: take ``r`` from the sizes even where ``scale_factor`` is given; otherwise it is
            ``1 / scale_factor``.
        antialias: for bilinear, bicubic and lanczos (which has to have it): when the image shrinks, widen the
            filter with it, as Pillow does.

    Shape:
        x ``[n, c, l]``, ``[n, c, h, w]`` or ``[n, c, d, h, w]``; result ``[n, c, ol]``, ``[n, c, oh, ow]`` or
        ``[n, c, od, oh, ow]``.

    Raises:
        ShapeError: the mode takes another number of axes, or an axis is empty or would be.
        ArgumentError: an option has a value that makes no sense, or does not go with another.
    """
    op = "interpolate"
    held = primitive(op, x)
    aligned = bool(optional_flag(op, "align_corners", align_corners))
    recomputed = bool(optional_flag(op, "recompute_scale_factor", recompute_scale_factor))
    widened = flag(op, "antialias", antialias)
    chosen(op, "mode", mode, tuple(_MODES))
    filtering, ranks = _MODES[mode]
    if held.ndim not in ranks:
        shapes = ", ".join(("[n, c, l]", "[n, c, h, w]", "[n, c, d, h, w]")[rank - 3] for rank in ranks)
        raise ShapeError(f"{op}: mode {mode!r} takes {shapes}, got {list(held.shape)}.")
    if align_corners is not None and mode not in _ALIGNED and (aligned or mode != "lanczos"):
        raise ArgumentError(f"{op}: align_corners goes with {', '.join(_ALIGNED)}, not with {mode!r}.")
    if widened and mode not in _ANTIALIASED:
        raise ArgumentError(f"{op}: antialias goes with {', '.join(_ANTIALIASED)}, not with {mode!r}.")
    if mode == "lanczos" and not widened:
        raise ArgumentError(f"{op}: mode 'lanczos' needs antialias=True.")
    inner = held.shape[2:]
    if 0 in inner:
        raise ShapeError(f"{op}: an axis is empty: {list(held.shape)}.")
    sizes, ratios = _sizes(inner, size, scale_factor)
    if recomputed and scale_factor is None:
        raise ArgumentError(f"{op}: recompute_scale_factor goes with scale_factor, not with size.")
    if min(sizes) < 1:
        raise ShapeError(f"{op}: the result would have no elements: {list(inner)} to {list(sizes)}.")
    shape_of(op, (*held.shape[:2], *sizes))
    if recomputed or aligned or mode == "area":
        ratios = (None,) * len(sizes)
    ratios = tuple(
        None if ratio is None or _by_size(mode, widened, held.ndim, n, m, ratio) else ratio
        for n, m, ratio in zip(inner, sizes, ratios, strict=True)
    )
    if not mode.startswith("nearest"):
        held = floating(op, x)
    out = x.device.backend.interpolate(
        held,
        size=sizes,
        mode=filtering,
        ratios=ratios,
        align_corners=aligned,
        antialias=widened,
    )
    return Tensor(out, x.device)


def _sizes(inner: Shape, size: Any, scale_factor: Any) -> tuple[Shape, tuple[float | None, ...]]:
    """Return the new sizes, and for each axis the distance of two outputs if a scale decides it."""
    op, count = "interpolate", len(inner)
    if (size is None) == (scale_factor is None):
        raise ArgumentError(f"{op}: needs either size or scale_factor.")
    name, given = ("size", size) if scale_factor is None else ("scale_factor", scale_factor)
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given] * count
    if len(several) != count:
        raise ArgumentError(f"{op}: {name} takes one number or {count}, got {given!r}.")
    if scale_factor is None:
        return tuple([integer(op, "size", n) for n in several]), (None,) * count
    scales = [number(op, "scale_factor", s) for s in several]
    if any(not 0 < s < math.inf for s in scales):
        raise ArgumentError(f"{op}: scale_factor must be positive and finite, got {scale_factor!r}.")
    sizes = tuple([math.floor(min(n * s, MOST)) for n, s in zip(inner, scales, strict=True)])
    return sizes, tuple([1 / s for s in scales])


def _by_size(mode: str, antialias: bool, ndim: int, n: int, m: int, ratio: float) -> bool:
    """Say whether the sizes decide although a scale is given: where they say the same, or in PyTorch they do."""
    if mode.startswith("nearest"):
        return mode == "nearest" and ndim == 4 and m in (n, 2 * n)
    return m * ratio == n or (m == n and (mode != "bicubic" or antialias))


def grid_sample(
    x: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Return images at the places that a grid names (Jaderberg et al., "Spatial Transformer Networks", 2015).

    Args:
        x: the images.
        grid: the coordinates, that of the last axis first, from -1 at one end of an image to 1 at the other.
        mode: ``"bilinear"``, which is trilinear for volumes, ``"nearest"``, of ties the even one, or for images
            ``"bicubic"`` (a = -0.75).
        padding_mode: what is outside: ``"zeros"``, the ``"border"``, or the image's ``"reflection"``.
        align_corners: -1 and 1 are the centres of the corner pixels instead of their outer edges.

    Returns:
        The images; NaN at a place that is NaN, which gets no gradient, nor does a place that ``padding_mode``
        moved to the border.

    Shape:
        x ``[n, c, h, w]`` and grid ``[n, oh, ow, 2]``, result ``[n, c, oh, ow]``; or x ``[n, c, d, h, w]`` and
        grid ``[n, od, oh, ow, 3]``, result ``[n, c, od, oh, ow]``.

    Raises:
        ShapeError: the shapes do not fit each other, or an image is empty.
        ArgumentError: there is no such mode.
    """
    op = "grid_sample"
    (held, places), device = same_floats(op, x, grid, required=2)
    aligned = bool(optional_flag(op, "align_corners", align_corners))
    chosen(op, "mode", mode, _SAMPLED)
    chosen(op, "padding_mode", padding_mode, _PADDINGS)
    d = held.ndim - 2
    if d not in (2, 3) or 0 in held.shape[2:]:
        raise ShapeError(f"{op}: the input must be [n, c, h, w] or [n, c, d, h, w], got {list(held.shape)}.")
    if places.ndim != held.ndim or places.shape[0] != held.shape[0] or places.shape[-1] != d:
        raise ShapeError(
            f"{op}: an input of {list(held.shape)} takes a grid of [{held.shape[0]}, {'od, ' * (d - 2)}oh, ow, {d}], "
            f"got {list(places.shape)}."
        )
    if mode == "bicubic" and d == 3:
        raise ShapeError(f"{op}: mode 'bicubic' takes [n, c, h, w], got {list(held.shape)}.")
    shape_of(op, (*held.shape[:2], *places.shape[1:-1]))
    out = device.backend.grid_sample(
        held, places, mode=mode, padding_mode=padding_mode, align_corners=aligned
    )
    return Tensor(out, device)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Return the grid for ``grid_sample`` that an affine map makes of the places of an image.

    Args:
        theta: the maps: of the coordinates, that of the last axis first, and 1.
        size: the shape of the result of ``grid_sample``.
        align_corners: as it is for ``grid_sample``.

    Shape:
        theta ``[n, 2, 3]``, size ``[n, c, h, w]``, result ``[n, h, w, 2]``; or ``[n, 3, 4]``, ``[n, c, d, h, w]``
        and ``[n, d, h, w, 3]``.

    Raises:
        ShapeError: the shapes do not fit each other, or an axis would be empty.
    """
    op = "affine_grid"
    held = floating(op, theta)
    aligned = bool(optional_flag(op, "align_corners", align_corners))
    shape = shape_of(op, size)
    d = len(shape) - 2
    if d not in (2, 3) or 0 in shape[2:]:
        raise ShapeError(
            f"{op}: size must be [n, c, h, w] or [n, c, d, h, w], no axis empty, got {list(shape)}."
        )
    if held.shape != (shape[0], d, d + 1):
        raise ShapeError(
            f"{op}: a size of {list(shape)} takes theta [{shape[0]}, {d}, {d + 1}], got {list(held.shape)}."
        )
    shape_of(op, (shape[0], *shape[2:], d + 1))
    axes = []
    for n in shape[2:]:
        steps = 2 * np.arange(n) - (n - 1)
        axes.append(steps / max(n - 1, 1) if aligned else steps / n)
    places = np.ones((*shape[2:], d + 1), held.dtype)
    for i, axis in enumerate(np.meshgrid(*axes, indexing="ij", copy=False)):
        places[..., d - 1 - i] = axis
    backend = theta.device.backend
    maps = backend.permute_dims(held, axes=(0, 2, 1))
    grid = backend.matmul(places.reshape(1, -1, d + 1), maps)
    return Tensor(backend.reshape(grid, shape=(shape[0], *shape[2:], d)), theta.device)
