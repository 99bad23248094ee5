"""Modules drawn from a seed, by the same program for PyTorch and for Backburner."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

SEEDS = range(40)


def architecture(nn: Any, ones: Callable[[int], Any], seed: int) -> Any:
    """Return a module of modules, containers, parameters and buffers, some of them in two places.

    Args:
        nn: ``torch.nn`` or ``backburner.nn``.
        ones: makes a vector of so many ones.
        seed: which module it is.
    """
    draw = random.Random(seed)
    leaves: list[Any] = []

    def leaf() -> Any:
        if leaves and draw.random() < 0.2:
            return draw.choice(leaves)
        kind, option = draw.randrange(6), draw.random() < 0.6
        if kind == 0:
            leaves.append(nn.Linear(2, 3, bias=option))
        elif kind == 1:
            leaves.append(nn.BatchNorm1d(3, affine=option, track_running_stats=draw.random() < 0.7))
        elif kind == 2:
            leaves.append(nn.Conv2d(2, 4, 3, groups=2, padding=1, bias=option))
        elif kind == 3:
            leaves.append(nn.Embedding(4, 3))
        else:
            leaves.append(nn.Identity() if option else nn.ReLU())
        return leaves[-1]

    def changed(held: Any, depth: int) -> Any:
        for _ in range(draw.randrange(4)):
            kind = draw.randrange(5)
            if kind == 0:
                held.append(made(depth))
            elif kind == 1:
                held.insert(draw.randrange(len(held) + 1), made(depth))
            elif kind == 2 and len(held):
                held.pop(draw.randrange(len(held)))
            elif kind == 3 and len(held):
                del held[draw.randrange(len(held)) :]
            elif len(held):
                held[-1] = made(depth)
        return held

    def own(depth: int, count: int) -> Any:
        module = nn.Module()
        for i in range(count + 1):
            kind = draw.randrange(6)
            if kind == 0:
                module.register_buffer(f"b{i}", ones(2), persistent=draw.random() < 0.5)
            elif kind == 1:
                setattr(module, f"p{i}", nn.Parameter(ones(3)))
            elif kind == 2:
                module.parts = nn.ParameterList([nn.Parameter(ones(2)) for _ in range(count)])
            elif kind == 3:
                module.register_parameter(f"q{i}", None)
            else:
                module.add_module(f"m{i}", made(depth))
        if hasattr(module, "m0") and draw.random() < 0.3:
            del module.m0
        if hasattr(module, "p1") and draw.random() < 0.3:
            module.p1 = None
        if hasattr(module, "p2") and draw.random() < 0.5:
            module.tied = module.p2
        return module

    def made(depth: int) -> Any:
        kind = draw.randrange(6)
        if depth == 0 or kind == 0:
            return leaf()
        count, depth = draw.randrange(4), depth - 1
        if kind == 1:
            return changed(nn.Sequential(*[made(depth) for _ in range(count)]), depth)
        if kind == 2:
            return nn.Sequential(OrderedDict((f"n{draw.randrange(100)}", made(depth)) for _ in range(count)))
        if kind == 3:
            return changed(nn.ModuleList([made(depth) for _ in range(count)]), depth)
        if kind == 4:
            held = nn.ModuleDict({f"k{i}": made(depth) for i in range(count)})
            if count > 1:
                held.pop("k0")
                held["k1"] = made(depth)
            return held
        return own(depth, count)

    return nn.Sequential(made(3), own(2, 3))


def facts(module: Any) -> dict[str, Any]:
    """Return everything that has a name in a module, in order, and how it shows itself."""
    visited: list[str] = []
    module.apply(lambda part: visited.append(type(part).__name__))
    text = repr(module)
    return {
        "modules": [name for name, _ in module.named_modules()],
        "every module": [name for name, _ in module.named_modules(remove_duplicate=False)],
        "children of the second": [name for name, _ in module[1].named_children()],
        "parameters": [name for name, _ in module.named_parameters()],
        "every parameter": [name for name, _ in module.named_parameters(remove_duplicate=False)],
        "own parameters": [name for name, _ in module[1].named_parameters("own", recurse=False)],
        "buffers": [name for name, _ in module.named_buffers()],
        "state": [[name, list(value.shape)] for name, value in module.state_dict().items()],
        "kinds": sorted(set(visited)),
        "text": "" if "ParameterList" in text else text,
    }
