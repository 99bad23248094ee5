"""Where the steps of optimizers lead: the rows of ``optimizers.py`` against PyTorch and the papers."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn, optim
from optimizers import EACH, LBFGS, ROWS, SEEDS, SHAPES, Row, shapes, wavy

pytestmark = pytest.mark.feature_set("autodiff")

GOLDEN = np.load(Path(__file__).parent / "golden" / "optim.npz")
DEFAULTS = json.loads(str(GOLDEN["defaults"]))
PLACES = {name: place for place, name in enumerate(json.loads(str(GOLDEN["rows"])))}
KEPT = [int(step) for step in GOLDEN["kept"]]
DTYPES = ("float32", "float64")


def kinds() -> dict[str, Any]:
    """Return every optimizer that is offered, by name."""
    offered = {name: getattr(optim, name) for name in optim.__all__}
    return {
        name: kind
        for name, kind in offered.items()
        if inspect.isclass(kind) and issubclass(kind, optim.Optimizer) and kind is not optim.Optimizer
    }


def parameter(values: Any) -> nn.Parameter:
    return nn.Parameter(bb.tensor(values))


def split(flat: Any) -> dict[str, Any]:
    parts = {}
    for name, shape in SHAPES:
        size = math.prod(shape)
        parts[name], flat = flat[:size].reshape(shape), flat[size:]
    return parts


def end_to_end(parts: dict[str, Any]) -> Any:
    return np.concatenate([np.asarray(part).ravel() for part in parts.values()])


def usual_rate(kind: str) -> float:
    return float(inspect.signature(kinds()[kind]).parameters["lr"].default)


def gradients(dtype: str) -> Iterator[dict[str, Any]]:
    for step, flat in enumerate(GOLDEN[f"gradients/{dtype}"]):
        named = split(flat)
        if step % 3 == 0:
            del named["seldom"]
        yield named


# -- references for what PyTorch has not: the authors' programs, in float64


def lion(p: Any, g: Any, s: dict[str, Any], t: int, lr: float, betas: Any, weight_decay: float) -> Any:
    m = s.get("m", 0.0)
    s["m"] = betas[1] * m + (1 - betas[1]) * g
    return p - lr * (np.sign(betas[0] * m + (1 - betas[0]) * g) + weight_decay * p)


def adan(
    p: Any, g: Any, s: dict[str, Any], t: int, lr: float, betas: Any, eps: float, weight_decay: float, no_prox: bool
) -> Any:  # fmt: skip
    change = g - s.get("g", g)
    s["g"] = g
    for letter, beta, new in zip("mvn", betas, (g, change, (g + betas[1] * change) ** 2), strict=True):
        s[letter] = beta * s.get(letter, 0.0) + (1 - beta) * new
    m, v, n = (s[letter] / (1 - beta**t) for letter, beta in zip("mvn", betas, strict=True))
    move = lr / (np.sqrt(n) + eps) * (m + betas[1] * v)
    return p * (1 - lr * weight_decay) - move if no_prox else (p - move) / (1 + lr * weight_decay)


def paper(row: Row, start: Any) -> Iterator[Any]:
    """Yield where the reference is after each step."""
    usual = {name: p.default for name, p in inspect.signature(kinds()[row.kind]).parameters.items()}
    options = {**usual, **row.options}
    for name in ("model", "groups"):
        del options[name]
    sign = -1 if options.pop("maximize") else 1
    rate = options.pop("lr")
    take = {"Lion": lion, "Adan": adan}[row.kind]
    parts = split(start.astype(np.float64))
    state: dict[str, dict[str, Any]] = {name: {} for name in parts}
    taken = dict.fromkeys(parts, 0)
    for step, named in enumerate(gradients("float64")):
        lr = rate / (1 + step) if row.schedule else rate
        for name, g in named.items():
            taken[name] += 1
            parts[name] = take(parts[name], sign * g, state[name], taken[name], lr, **options)
        yield end_to_end(parts)


# -- the table


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_fifty_steps_lead_where_the_reference_goes(row: Row, dtype: str) -> None:
    parts = split(GOLDEN[f"start/{dtype}"])
    options = dict(row.options)
    lr = options.pop("lr", usual_rate(row.kind))
    model = {name: parameter(part) for name, part in parts.items()}
    taken = {name: model[name] for name, _ in shapes(row.kind)}
    schedule = (lambda step: lr / (1 + step)) if row.schedule else lr
    optimizer = kinds()[row.kind](taken, lr=schedule, **options)
    if row.against == "torch":
        right = dict(zip(KEPT, GOLDEN[f"path/{dtype}"][PLACES[str(row)]], strict=True))
    else:
        right = dict(enumerate(paper(row, GOLDEN[f"start/{dtype}"]), 1))
    tolerance = row.tolerance[DTYPES.index(dtype)]
    for step, named in enumerate(gradients(dtype), 1):
        optimizer.step({name: bb.tensor(g) for name, g in named.items() if name in taken})
        if step in KEPT:
            found = end_to_end({name: p.numpy() for name, p in model.items()})
            assert found.dtype == dtype
            np.testing.assert_allclose(found, right[step], rtol=tolerance, atol=tolerance / 10)


def test_every_optimizer_that_is_offered_has_rows() -> None:
    others = {"LBFGS", "Partition"}  # the rows of L-BFGS are below, test_optim_groups.py divides
    assert {row.kind for row in ROWS} == set(kinds()) - others
    assert {kind for kind, _ in EACH.values()} == set(kinds()) - others
    assert PLACES.keys() == {str(row) for row in ROWS if row.against == "torch"}


@pytest.mark.parametrize("kind", [pytest.param(row.kind) for row in {row.kind: row for row in ROWS}.values()])
def test_every_option_has_a_row(kind: str) -> None:
    options = set(inspect.signature(kinds()[kind]).parameters) - {"model", "groups"}
    used = {name for row in ROWS if row.kind == kind for name in row.options}
    assert options - used == set()


@pytest.mark.parametrize("kind", DEFAULTS)
def test_options_and_defaults_are_pytorchs(kind: str) -> None:
    ours = {name: p.default for name, p in inspect.signature(kinds()[kind]).parameters.items()}
    theirs = {name: tuple(v) if isinstance(v, list) else v for name, v in DEFAULTS[kind].items()}
    if kind == "AdamW":
        assert theirs.pop("decoupled_weight_decay")  # what it is
    del ours["model"]
    ours.pop("groups", None)
    if kind == "LBFGS":
        assert ours.pop("max_eval") is None and theirs.pop("max_eval") == 25  # 1.25 times max_iter
    assert ours == theirs


# -- L-BFGS, whose steps take a function


def network(dtype: str) -> tuple[dict[str, nn.Parameter], Any]:
    """Return the parameters of the golden file's network, and the function of its loss and gradients."""
    x, y = (bb.tensor(GOLDEN[f"lbfgs/{name}"].astype(dtype)) for name in "xy")
    start = {name: GOLDEN[f"lbfgs/{name}"].astype(dtype) for name in "wb"} | {"unused": np.ones(2, dtype)}
    device = bb.Device.cpu().autodiff()
    model = {name: nn.Parameter(bb.tensor(part, device=device)) for name, part in start.items()}

    def closure() -> Any:
        out = (x @ model["w"].T + model["b"]).tanh()
        loss = ((out - y) ** 2).sum() + 0.1 * (model["w"] ** 4).sum()
        return loss, loss.backward()

    return model, closure


@pytest.mark.parametrize("row", range(len(LBFGS)), ids=[str(options) for options in LBFGS])
def test_lbfgs_goes_where_pytorchs_goes(row: int) -> None:
    model, closure = network("float64")
    optimizer = optim.LBFGS(model, **LBFGS[row])
    for step in range(4 * row, 4 * row + 4):
        assert optimizer.step(closure) == pytest.approx(GOLDEN["lbfgs/losses"][step], rel=1e-7)
        found = end_to_end({name: model[name].numpy() for name in "wb"})
        np.testing.assert_allclose(found, GOLDEN["lbfgs/path"][step], rtol=1e-5, atol=1e-7)
    assert model["unused"].tolist() == [1, 1] and optimizer.steps == 4


@pytest.mark.parametrize("seed", SEEDS)
def test_the_line_search_looks_where_pytorchs_looks(seed: int) -> None:
    from backburner_autodiff.optim._search import Point, search

    f, slope, first = wavy(seed)
    asked: list[float] = []

    def at(t: float) -> Point:
        asked.append(t)
        return Point(t, f(t), np.zeros(1), slope(t))

    found = search(at, Point(0.0, f(0.0), np.zeros(1), slope(0.0)), first, 1.0, 25)
    *right, end = GOLDEN["searches"][SEEDS.index(seed)]
    np.testing.assert_allclose([*asked, *[math.nan] * (len(right) - len(asked))], right, rtol=1e-6)
    assert found.t == pytest.approx(end, rel=1e-6)


def test_every_option_of_lbfgs_has_a_row() -> None:
    options = set(inspect.signature(optim.LBFGS).parameters) - {"model"}
    assert options == {name for options in LBFGS for name in options}
