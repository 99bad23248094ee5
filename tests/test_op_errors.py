"""Every refusal is an error of ours and of Python, says what is wrong, and no ``raise`` goes without a row."""

from __future__ import annotations

import ast
import traceback
from pathlib import Path

import numpy as np
import pytest

import backburner as bb
from backburner.device import Device
from ops import collected, errors
from ops.errors import INDICES, NEURAL, SHAPES, Bad

REFUSED: tuple[Bad, ...] = collected("errors", "REFUSED")
REFUSED_GRAPHS: tuple[Bad, ...] = collected("errors", "REFUSED_GRAPHS")

CORE = Path(bb.__file__).parent
BUILTIN: dict[type[Exception], type[Exception]] = {
    bb.ShapeError: ValueError,
    bb.ArgumentError: ValueError,
    bb.DTypeError: TypeError,
    bb.DeviceError: ValueError,
    bb.GraphError: RuntimeError,
    bb.IndexOutOfRange: IndexError,
    bb.AxisError: IndexError,
    bb.MissingGradient: KeyError,
    bb.MissingKey: KeyError,
    bb.LinAlgError: np.linalg.LinAlgError,
}
"""What a caller who knows only Python catches each of them by."""


def refusal(bad: Bad) -> Exception:
    """Return what the call raises."""
    with pytest.raises(bad.error) as caught:
        bad.call()
    error: Exception = caught.value
    return error


def check(bad: Bad) -> None:
    error = refusal(bad)
    assert type(error) is bad.error
    assert str(error).startswith(bad.text), str(error)
    if bad.error in BUILTIN:
        assert isinstance(error, bb.BackburnerError) and isinstance(error, BUILTIN[bad.error])


@pytest.mark.parametrize("bad", REFUSED, ids=str)
def test_bad_input_is_refused_with_its_values(bad: Bad) -> None:
    check(bad)


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize("bad", REFUSED_GRAPHS, ids=str)
def test_a_graph_that_cannot_be_is_refused(bad: Bad) -> None:
    check(bad)


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize("bad", [*INDICES, *SHAPES[:4], *NEURAL], ids=str)
def test_bad_input_beside_a_leaf_is_refused_alike(bad: Bad, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x", "v", "image", "kernel", "table", "scores"):
        plain: bb.Tensor = getattr(errors, name)
        monkeypatch.setattr(errors, name, plain.to(Device.cpu().autodiff()).require_grad())
    check(bad)


def test_an_environment_variable_that_names_no_device_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKBURNER_DEVICE", "tpu")
    with pytest.raises(
        bb.DeviceError, match=r"Device: there is no 'tpu' \(BACKBURNER_DEVICE\)\. Use one of: cpu\."
    ):
        Device()


FILES = (
    *sorted(CORE.glob("ops/*.py")),
    *sorted(CORE.glob("nn/*.py")),
    *sorted(CORE.glob("nn/utils/*.py")),
    *sorted(CORE.glob("nn/functional/*.py")),
    *(
        CORE / name
        for name in (
            *("dtype.py", "device.py", "_held.py", "_tensor.py", "_gradients.py", "random.py", "_seeds.py"),
            "transforms.py",
            "debug.py",
        )
    ),
)


def spans(path: Path) -> list[tuple[int, int]]:
    """Return the first and the last line of every ``raise`` in a file; a bare one passes on another's error."""
    nodes = ast.walk(ast.parse(path.read_text()))
    found = [node for node in nodes if isinstance(node, ast.Raise) and node.exc is not None]
    return [(node.lineno, node.end_lineno or node.lineno) for node in found]


@pytest.mark.feature_set("autodiff")
def test_every_raise_has_a_row() -> None:
    lines = set()
    for bad in (*REFUSED, *REFUSED_GRAPHS):
        error: BaseException | None = refusal(bad)
        while error is not None:
            lines |= {(f.f_code.co_filename, line) for f, line in traceback.walk_tb(error.__traceback__)}
            error = error.__context__
    missing = [
        f"{path.relative_to(CORE)}:{first}"
        for path in FILES
        for first, last in spans(path)
        if not any((str(path), line) in lines for line in range(first, last + 1))
    ]
    assert not missing
