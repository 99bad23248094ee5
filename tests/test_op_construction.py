"""How ops are put together: one name and one family in every tree, a rule or a reason, a row, a docstring."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import backburner as bb
import backburner.backends.numpy as numpy_backend
from backburner.backend import Backend
from backburner.nn import functional
from ops import DRAWS, FAMILIES, ROWS, collected
from ops._row import public
from sources import docstring

autodiff = pytest.mark.feature_set("autodiff")

MEMBERS = sorted(name for name in dir(Backend) if not name.startswith("_"))
HOMES = re.compile(r"backburner\.(ops\.[a-z]+|nn\.functional\.[a-z]+|random)")


def family(function: Any) -> str:
    """Return the file that a function comes from."""
    return str(function.__module__).rpartition(".")[2]


# Of bb.random: they read and set where the device's stream is, and draw nothing.
NO_OPS = ("get_state", "set_state")


def public_ops() -> dict[str, Callable[..., Any]]:
    """Return every op that ``bb``, ``nn.functional``, ``bb.linalg`` and ``bb.random`` export, by name."""
    found = {}
    for place in (bb, functional, bb.linalg, bb.random):
        for name in dir(place):
            value = getattr(place, name)
            if inspect.isfunction(value) and not name.startswith("_") and HOMES.fullmatch(value.__module__):
                found[name] = value
    return {name: f for name, f in found.items() if name not in NO_OPS}


OPS = public_ops()
NEURAL = {name: f for name, f in OPS.items() if f.__module__.startswith("backburner.nn.functional.")}


def numpy_families() -> dict[str, str]:
    """Return the family of each op by the lines of the index, ``name = staticmethod(family.name)``."""
    (index,) = [
        node
        for node in ast.parse(Path(numpy_backend.__file__).read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "NumpyBackend"
    ]
    found = {}
    for line in index.body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
            target, source = line.targets[0], line.value.args[0]
            assert isinstance(target, ast.Name) and isinstance(source, ast.Attribute)
            assert isinstance(source.value, ast.Name) and target.id == source.attr
            found[target.id] = source.value.id
    return found


FAMILY = numpy_families()


def test_the_public_ops_are_seen() -> None:
    assert len(OPS) > 75
    assert {"add", "softmax", "conv2d", "embedding", "uniform", "zeros", "batch_norm", "take"} <= OPS.keys()


def test_the_index_lists_just_the_ops_of_the_contract() -> None:
    assert sorted(FAMILY) == MEMBERS


@autodiff
def test_an_op_has_a_rule_or_is_listed_as_without_gradient() -> None:
    from backburner_autodiff.rules import NONDIFFERENTIABLE, RULES

    assert sorted([*RULES, *NONDIFFERENTIABLE]) == MEMBERS


@autodiff
@pytest.mark.parametrize("op", MEMBERS)
def test_a_rule_takes_what_the_op_takes(op: str) -> None:
    from backburner_autodiff.rules import RULES

    if op in RULES:
        contract = list(inspect.signature(getattr(Backend, op)).parameters.values())[1:]
        rule = [
            p for p in inspect.signature(RULES[op].function).parameters.values() if p.name != "residuals"
        ][1:]
        assert [p.name for p in rule] == [p.name for p in contract]
        options = [p.name for p in contract if p.kind is p.KEYWORD_ONLY]
        assert [p.name for p in rule if p.kind is p.KEYWORD_ONLY] == options


@autodiff
@pytest.mark.parametrize("op", MEMBERS)
def test_an_op_is_in_the_file_of_one_family_in_every_tree(op: str) -> None:
    from backburner_autodiff.rules import RULES

    home = FAMILY[op]
    assert hasattr(importlib.import_module(f"backburner.backends.numpy.{home}"), op)
    if op in RULES:
        assert RULES[op].name == RULES[op].function.__name__ == op
        assert family(RULES[op].function) == home
    if op in OPS:
        assert family(OPS[op]) == home
        assert OPS[op].__name__ == op
    else:
        assert op in ("random", "getitem", "at", "piecewise", "normalize_channels")


@autodiff
def test_rules_and_kernels_are_in_files_of_families() -> None:
    from backburner_autodiff import kernels, rules

    families = set(FAMILY.values())
    for package, more in ((rules, set()), (kernels, {"math", "optim"})):
        files = {path.stem for path in Path(package.__path__[0]).glob("[!_]*.py")}
        assert files - families == more


def test_the_table_is_in_files_of_families() -> None:
    families = set(FAMILY.values())
    assert {module.__name__.rpartition(".")[2] for module in FAMILIES} == families
    for module in FAMILIES:
        home = module.__name__.rpartition(".")[2]
        for row in module.ROWS:
            if row.op in OPS:
                assert family(OPS[row.op]) == home, row.op


def test_a_public_op_has_a_row() -> None:
    rows = {row.op for row in ROWS} | {draw.op for draw in DRAWS}
    assert OPS.keys() - rows == set()
    assert rows - OPS.keys() == {"getitem", "at"}


def test_a_row_has_a_name_of_its_own() -> None:
    for names in (
        [row.name or row.op for row in ROWS],
        [special.name for special in collected("special", "SPECIALS")],
    ):
        assert len(set(names)) == len(names)


def test_a_row_has_a_case_for_the_usual_and_one_for_nothing() -> None:
    without = {row.op for row in ROWS if row.inputs} - {
        row.op for row in ROWS for case in row.cases() if case.empty
    }
    assert without == set()


@pytest.mark.parametrize("op", OPS)
def test_a_public_op_says_what_it_does_in_a_sentence(op: str) -> None:
    text = inspect.getdoc(OPS[op]) or ""
    first = text.split("\n\n")[0]
    assert re.match(r"[A-Z][a-z]+ ", first), f"{op}: {first!r}"
    assert not first.split()[0].endswith("s"), f"{op} is described, not commanded: {first!r}"
    assert "." in first


@pytest.mark.parametrize("op", OPS)
def test_a_public_op_tells_its_shapes(op: str) -> None:
    assert "\nShape:\n" in docstring(OPS[op])


@pytest.mark.parametrize("op", MEMBERS)
def test_an_op_of_the_contract_has_a_docstring(op: str) -> None:
    assert docstring(getattr(Backend, op)).split(maxsplit=1)[0] in (
        "Return", "Zero", "Normalise", "Draw",
    )  # fmt: skip


METHODS = {
    name: f
    for name, f in OPS.items()
    if f.__module__.startswith("backburner.ops.")
    and next(iter(inspect.signature(f).parameters)) == "x"
    and not name.endswith("_like")
    and hasattr(bb, name)
}


PLAIN = {row.op: row for row in reversed(ROWS) if row.call is None and row.inputs and row.op in OPS}
FLAGS = [
    (op, option.name)
    for op in sorted(PLAIN)
    for option in inspect.signature(OPS[op]).parameters.values()
    if isinstance(option.default, bool)
]


@pytest.mark.parametrize("op, option", FLAGS, ids=map("-".join, FLAGS))
def test_what_is_true_or_false_takes_nothing_else(op: str, option: str) -> None:
    case = PLAIN[op].cases()[0]
    tensors = [None if x is None else bb.tensor(x) for x in case.arrays()]
    for value in ("no", bb.ones((2,))):
        with pytest.raises(bb.DTypeError, match=f"{op}: {option} must be True or False, got "):
            OPS[op](*tensors, **{**case.options, option: value})


@pytest.mark.parametrize("op", sorted(PLAIN.keys() - {"asarray", "embedding", "embedding_bag", "one_hot"}))
def test_what_is_no_tensor_is_refused_in_the_name_of_the_op(op: str) -> None:
    case = PLAIN[op].cases()[0]
    others = [None if x is None else bb.tensor(x) for x in case.arrays()[1:]]
    with pytest.raises(bb.DTypeError, match=f"^{op}: .*list"):
        public(op)([0.5], *others, **case.options)


def test_functions_of_one_tensor_first_are_methods() -> None:
    assert {"add", "sum", "reshape", "matmul", "take", "gelu", "softmax", "astype"} <= METHODS.keys()
    for name, function in METHODS.items():
        assert getattr(bb.Tensor, name, None) is function, name


def test_the_plain_device_has_the_numpy_backend_itself() -> None:
    backend = bb.Device.cpu().backend
    assert type(backend) is bb.NumpyBackend
    assert not hasattr(backend, "__dict__")
    for op in MEMBERS:
        home = importlib.import_module(f"backburner.backends.numpy.{FAMILY[op]}")
        assert getattr(backend, op) is getattr(home, op)


@autodiff
def test_the_autodiff_device_records_that_very_backend_and_leaves_it_as_it_is() -> None:
    backend: Any = bb.Device.cpu().autodiff().backend
    assert backend.inner_backend is bb.Device.cpu().backend
    assert type(backend.inner_backend) is bb.NumpyBackend


def test_every_activation_is_a_neural_op_too() -> None:
    import inspect

    from backburner.nn import functional
    from backburner.ops import activation

    own = {
        name
        for name, f in vars(activation).items()
        if inspect.isfunction(f) and f.__module__ == activation.__name__
    }
    missing = {name for name in own if not name.startswith("_")} - vars(functional).keys()
    assert not missing, f"export in nn/functional/__init__.py: {missing}"


@pytest.mark.parametrize("name", ["cat", "randn", "no_grad", "manual_seed"])
def test_a_name_from_elsewhere_leads_to_ours(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'. Use "):
        getattr(bb, name)
