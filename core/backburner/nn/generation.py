"""Texts from a model that says what comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backburner import random
from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.nn._checks import count, within
from backburner.nn._module import Module
from backburner.nn.cache import KVCache
from backburner.ops._operands import integer, primitive


def generate(
    model: Callable[..., Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    eos: int | None = None,
    generator: random.Generator | None = None,
) -> Tensor:
    """Continue a batch of token sequences, each position seen once thanks to a cache.

    Args:
        model: called as ``model(tokens, cache=cache)`` with the new tokens alone, ``[n, l]``; it passes ``cache`` on
            to its attention, takes positions from ``cache.length``, and returns ``[n, l, vocabulary]``: what is
            likely to come after each token, before the softmax. A module on an autodiff device is run by its
            ``valid()``.
        prompt: the sequences so far, all of one length.
        max_new_tokens: how many tokens to add at most.
        temperature: what scores are divided by before one is drawn; 0 takes the likeliest, the first among equals.
        top_k: draw from the ``k`` likeliest alone.
        top_p: draw from the fewest likeliest that have this probability together (Holtzman et al. 2020).
        eos: the token that ends a sequence: after it come only such, and when all have ended it stops.
        generator: decides the draws instead of the device's seed.

    Returns:
        The prompt and what comes after it, int64.

    Shape:
        prompt ``[n, l]`` or ``[l]``; result ``[n, l + new]`` or ``[l + new]``.

    Raises:
        ShapeError: the prompt is empty, or the model returned something else.
        ArgumentError: an option is out of range, or it has no effect without a temperature.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> def up(tokens, cache):  # a model that counts
        ...     return nn.functional.one_hot((tokens + 1) % 5, 5).astype("float32")
        >>> nn.generate(up, bb.tensor([[1, 2], [0, 3]]), 4, eos=0).tolist()
        [[1, 2, 3, 4, 0], [0, 3, 4, 0, 0]]
    """
    op = "generate"
    held = primitive(op, prompt)
    if held.dtype.kind not in "iu":
        raise DTypeError(f"{op}: the prompt must be of integers, got {held.dtype}.")
    if held.ndim not in (1, 2) or 0 in held.shape:
        raise ShapeError(
            f"{op}: the prompt must be [n, l] or [l] with at least one token, got {list(held.shape)}."
        )
    most = count(op, "max_new_tokens", max_new_tokens, 0)
    heat = within(op, "temperature", temperature, 0)
    if top_k is not None:
        top_k = count(op, "top_k", top_k)
    if top_p is not None:
        top_p = within(op, "top_p", top_p, 0, 1)
    if heat == 0 and (top_k is not None or top_p is not None or generator is not None):
        raise ArgumentError(
            f"{op}: temperature=0 draws nothing: top_k, top_p and generator have no effect. Give a temperature."
        )
    end = None if eos is None else integer(op, "eos", eos)
    if isinstance(model, Module) and model.device.is_autodiff():
        model = model.valid()
    device = prompt.device.without_autodiff()
    tokens = np.atleast_2d(prompt._array()).astype(np.int64)
    parts, cache = [tokens], KVCache()
    ended = np.zeros(len(tokens), np.bool_)
    for _ in range(most):
        scores = _last(model(Tensor(tokens, device), cache=cache), tokens.shape)
        if heat == 0:
            new = np.argmax(scores, axis=-1)
        else:
            chances = _chances(scores, heat, top_k, top_p)
            drawn = random.multinomial(Tensor(chances, device), 1, generator=generator)
            new = drawn._array()[:, 0]
        if end is not None:
            new = np.where(ended, end, new)
            ended |= new == end
        tokens = new[:, None]
        parts.append(tokens)
        if ended.all():
            break
    whole = np.concatenate(parts, axis=1)
    return Tensor(whole if held.ndim == 2 else whole[0], device)


def _last(scores: Any, shape: tuple[int, ...]) -> Array:
    """Return the scores after the last token, in float64."""
    found = primitive("generate: the model's result", scores).shape
    if len(found) != 3 or found[:2] != shape or not found[2]:
        raise ShapeError(
            f"generate: the model must return {[*shape, 'vocabulary']} for tokens {list(shape)}, got {list(found)}."
        )
    last: Array = scores._array()[:, -1].astype(np.float64)
    if not np.isfinite(last.max(axis=-1)).all():  # the maximum of a row with NaN is NaN
        raise ArgumentError("generate: the model's result has NaN, or no finite score. Check its weights.")
    return last


def _chances(scores: Array, temperature: float, top_k: int | None, top_p: float | None) -> Array:
    """Return what to draw from, not yet adding up to 1: ``[n, vocabulary]``."""
    with np.errstate(over="ignore"):  # a tiny temperature leaves the likeliest alone
        chances: Array = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
    if top_k is None and top_p is None:
        return chances
    order = np.argsort(-chances, axis=-1, kind="stable")
    ranked = np.take_along_axis(chances, order, axis=-1)
    keep = np.ones_like(ranked, dtype=np.bool_)
    if top_k is not None:
        keep[:, top_k:] = False
        ranked = ranked * keep
    if top_p is not None:
        before = np.cumsum(ranked, axis=-1) - ranked
        keep &= before < top_p * ranked.sum(axis=-1, keepdims=True)
    keep[:, 0] = True
    found: Array = np.zeros_like(chances)
    np.put_along_axis(found, order, ranked * keep, axis=-1)
    return found
