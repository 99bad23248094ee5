"""How time grows: with the nodes of a graph, with the length of an attention, with threads."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks import models
from benchmarks.groups import train
from benchmarks.harness import OURS, Contender, Group, Lab, Result, Spread, agree

CHAINS = (1_000, 10_000, 100_000, 1_000_000)
LENGTHS = (1024, 2048, 4096, 8192)
SPED_UP = ("mlp-mnist", "lenet", "resnet8", "lstm", "encoder", "gpt")
LONG = {"chain": 10_000, "attention": 2048}  # beyond these a row is slow: three rounds are enough


@dataclass(frozen=True)
class Chain:
    """Time per node of a chain of multiplications, forward and backward."""

    nodes: int
    threaded: bool = False

    @property
    def name(self) -> str:
        return f"growth/chain/{self.nodes}"

    def measure(self, lab: Lab, threads: int) -> Result:
        result = _measured(
            self.name, {"task": "chain", "nodes": self.nodes}, self.nodes > LONG["chain"], lab, threads
        )
        result.cells = {
            label: Spread(*(value / self.nodes for value in spread)) for label, spread in result.cells.items()
        }
        result.threads = None
        return result


@dataclass(frozen=True)
class Attention:
    """Attention of 4 heads, 64 wide, over so many tokens; forward and backward."""

    length: int
    threaded: bool = True

    @property
    def name(self) -> str:
        return f"growth/attention/{self.length}"

    def measure(self, lab: Lab, threads: int) -> Result:
        task = {"task": "long_attention", "length": self.length}
        return _measured(self.name, task, self.length > LONG["attention"], lab, threads)


def _measured(name: str, task: dict[str, object], slow: bool, lab: Lab, threads: int) -> Result:
    sides = [Contender(OURS, "ours", task)]
    sides += [Contender("torch", "pytorch", task)] if "torch" in lab.settings.peers else []
    settings = replace(lab.settings, rounds=min(lab.settings.rounds, 3)) if slow else lab.settings
    result = Result(name, threads)
    agree(lab.prepare(sides, threads, settings))
    lab.time(sides, threads, result, settings)
    return result


@dataclass(frozen=True)
class SpeedUp:
    """The time of a step of training on one thread over that on several."""

    model: str
    threaded: bool = False

    @property
    def name(self) -> str:
        return f"growth/threads/{self.model}"

    def measure(self, lab: Lab, threads: int) -> Result:
        sides = [side for side in train.contenders(self.model, lab) if side.label in (OURS, "torch")]
        alone = [replace(side, label=f"{side.label} alone", threads=1) for side in sides]
        times = Result(self.name, threads)
        lab.prepare([*sides, *alone], threads)
        lab.time([*sides, *alone], threads, times)
        result = Result(self.name, threads, "x", notes=times.notes)
        for side in sides:
            several, one = times.cells[side.label], times.cells[f"{side.label} alone"]
            result.cells[side.label] = Spread(
                one.median / several.median, one.low / several.high, one.high / several.low
            )
        return result


GROUP = Group(
    "growth",
    "Forward and backward through a chain of multiplications, per node; attention of 4 heads, 64 wide, forward and "
    "backward; and how many times faster a step of training is with the threads of the row than with one.",
    (
        *(Chain(nodes) for nodes in CHAINS),
        *(Attention(length) for length in LENGTHS),
        *(SpeedUp(model) for model in SPED_UP),
    ),
    (OURS, "torch"),
    long=True,
)
assert set(SPED_UP) <= set(models.TRAINED)
