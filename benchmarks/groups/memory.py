"""Memory: the peak of a training process as the operating system counts it, and what checkpointing keeps."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import models
from benchmarks.harness import OURS, Contender, Disagreement, Group, Lab, Result, Spread

LIBRARIES = {OURS: "ours", "torch": "pytorch", "jax": "jax"}
STEPS = 5
KEPT = ("balanced", "region", "budget")
ACTIVATIONS, TIME = 0.5, 1.35


@dataclass(frozen=True)
class Peak:
    """The peak of a few steps of training in a fresh process: above what it had after imports, or all of it."""

    model: str
    whole: bool
    threaded: bool = False

    @property
    def name(self) -> str:
        return f"memory/{'process' if self.whole else 'train'}/{self.model}"

    def measure(self, lab: Lab, threads: int) -> Result:
        data = str(lab.data(self.model, models.MODELS[self.model].batch))
        result = Result(self.name, threads, "B", limits={"torch": 1.0})
        for label, library in LIBRARIES.items():
            if label != OURS and label not in lab.settings.peers:
                continue
            measure = partial(_peak, lab, library, self.model, data, threads)
            found = lab.once((self.model, label), measure)
            value = float(found["peak"] if self.whole else found["peak"] - found["imported"])
            result.cells[label] = Spread(value, value, value)
            if label != OURS:
                ratio = result.cells[OURS].median / value
                result.ratios[label] = Spread(ratio, ratio, ratio)
        return result


def _peak(lab: Lab, library: str, model: str, data: str, threads: int) -> dict[str, int]:
    def run() -> dict[str, int]:
        with lab.fresh(library, threads) as process:
            found: dict[str, int] = process.ask("peak", model=model, data=data, steps=STEPS)
        return found

    if library == LIBRARIES[OURS]:
        run()  # it may compile kernels, which the next process finds in their cache
    return run()


@dataclass(frozen=True)
class Checkpointed:
    """The Transformer encoder with a way of checkpointing, beside the same without."""

    way: str
    what: str
    threaded: bool = False

    @property
    def name(self) -> str:
        return f"memory/{self.what}/{self.way}"

    def measure(self, lab: Lab, threads: int) -> Result:
        task = {"task": "checkpointed", "data": str(lab.data("encoder", models.MODELS["encoder"].batch))}
        sides = [
            Contender(OURS, "ours", {**task, "way": self.way}),
            Contender("plain", "ours", {**task, "way": "plain"}),
        ]
        if self.what == "activations":
            process = lab.process("ours", threads)
            result = Result(self.name, None, "B", limits={"plain": ACTIVATIONS})
            for side in sides:
                value = float(process.ask("call", function="benchmarks.groups.memory:held", **_rest(side)))
                result.cells[side.label] = Spread(value, value, value)
            ratio = result.cells[OURS].median / result.cells["plain"].median
            result.ratios["plain"] = Spread(ratio, ratio, ratio)
            return result
        result = Result(self.name, threads, limits={"plain": TIME})
        outputs = lab.prepare(sides, threads)
        for name, array in outputs[OURS].items():
            if not np.array_equal(array, outputs["plain"][name]):
                raise Disagreement(f"{name} has other bits than without checkpointing")
        lab.time(sides, threads, result)
        return result


def _rest(side: Contender) -> dict[str, Any]:
    return {name: value for name, value in side.task.items() if name != "task"}


# -- what runs in the process of a library


class Watch:
    """The largest memory that this process has held, from now on where the system can begin again."""

    def __init__(self) -> None:
        gc.collect()
        if sys.platform == "linux":
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # proc(5): reset the peak
        self.imported = self.peak()

    def peak(self) -> int:
        """Return bytes."""
        if sys.platform == "linux":
            lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
        import resource

        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return largest if sys.platform == "darwin" else largest * 1024


def held(data: str, way: str) -> int:
    """Return the bytes of the arrays that the graph of a loss keeps, without parameters, buffers and inputs."""
    from benchmarks.libraries import ours

    made = ours.encoder(data, way)
    loss = made.loss()
    states = [state for _, state in made.module.named_state()]
    known = {_owner(np.asarray(x.detach())) for x in [*states, *made.inputs]}
    return sum(_sizes(loss, known))


def _owner(array: Any) -> int:
    """Return the address of the memory that an array is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return int(array.__array_interface__["data"][0])


def _sizes(root: object, known: set[int]) -> Iterator[int]:
    """Follow what Python's collector would, and give the size of each new piece of arrays' memory."""
    seen: set[int] = set()
    todo = [root]
    while todo:
        found = todo.pop()
        if id(found) in seen or isinstance(found, type | _MODULE):
            continue
        seen.add(id(found))
        if isinstance(found, np.ndarray):
            while isinstance(found.base, np.ndarray):
                found = found.base
            address = _owner(found)
            if address not in known:
                known.add(address)
                yield found.nbytes
        elif callable(found) and hasattr(found, "__closure__"):  # not the globals of its module
            todo += [cell.cell_contents for cell in found.__closure__ or ()]
            todo += getattr(found, "__defaults__", None) or ()
        else:
            todo += gc.get_referents(found)


_MODULE = type(sys)

GROUP = Group(
    "memory",
    f"The peak of {STEPS} steps of training in a fresh process, as the operating system counts it: above what the "
    "process had after its imports, ours with Numba (`train`), and with it (`process`). For the Transformer encoder: bytes that the graph "
    "of a loss keeps besides parameters and inputs, and the time of a step, with what `BALANCED`, a region for each "
    "layer or a budget of half the activations keeps, beside plain training; loss, gradients and parameters had the "
    "same bits.",
    (
        *(Peak(model, whole) for whole in (False, True) for model in models.TRAINED),
        *(Checkpointed(way, what) for what in ("activations", "time") for way in KEPT),
    ),
    (OURS, "torch", "jax", "plain"),
)
