"""All of a training in one file: what goes in, and how it comes back."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backburner import Tensor, record
from backburner.errors import RecordError
from backburner.record import TRAINING
from backburner_autodiff._rule import Array

METADATA = "backburner.training"
VERSION = 1


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_two(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_count, value))


FACTS: Mapping[str, Callable[[Any], bool]] = {
    "optimizer": lambda value: isinstance(value, str),
    "ema": lambda value: isinstance(value, bool),
    "seed": lambda value: value is None or _is_count(value),
    "steps": _is_count,
    "epoch": _is_count,
    "batch": _is_count,
    "skipped": _are_two,
    "start": _are_two,
    "trained": lambda value: isinstance(value, bool),
    "stopped": lambda value: True,  # what a callback has said
    "seconds": lambda value: isinstance(value, (int, float)),
    "history": lambda value: isinstance(value, list) and all(isinstance(row, dict) for row in value),
    "data": lambda value: (
        isinstance(value, dict) and all(isinstance(value.get(k), dict) for k in ("now", "start"))
    ),
    "random": _are_two,
    "epoch_random": _are_two,
}
"""What a snapshot's metadata says of the training as a whole, and whether a value may be that."""


def write(path: Any, model: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]], facts: Any) -> None:
    """Write a snapshot; ``path`` is the old file or the whole new one.

    Args:
        path: the file.
        model: the model's state by name.
        parts: what else there is, by part and name: arrays, and what JSON has.
        facts: what JSON has of the training as a whole.
    """
    arrays: dict[str, Any] = dict(model)
    plain: dict[str, dict[str, Any]] = {}
    for part, state in parts.items():
        plain[part] = {}
        for name, value in state.items():
            if isinstance(value, (np.ndarray, np.generic, Tensor)):
                arrays[f"{TRAINING}{part}.{name}"] = value
            else:
                plain[part][name] = value
    try:
        text = json.dumps({"version": VERSION, "parts": plain, **facts})
    except (TypeError, ValueError) as error:
        raise RecordError(
            f"Trainer.save: a state is neither an array nor what JSON has: {error}. Look at the callbacks' and the "
            "loader's state_dict."
        ) from None
    record.save(arrays, path, {METADATA: text})


def read(path: Any) -> tuple[dict[str, Array], dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the model's arrays, the other parts, and the facts of a snapshot.

    Raises:
        RecordError: the file is no snapshot, or one of a later version.
    """
    stored = record.read(path)
    text = stored.metadata.get(METADATA)
    if text is None:
        raise RecordError(
            f"Trainer.resume: {path}: it holds weights alone, no training. Use bb.load for weights; "
            "Trainer.save and Snapshots write snapshots."
        )
    try:
        facts = json.loads(text)
        version, parts = facts.pop("version"), facts.pop("parts")
    except (ValueError, KeyError, AttributeError):
        raise RecordError(f"Trainer.resume: {path}: {METADATA} in its metadata is damaged.") from None
    if version != VERSION:
        raise RecordError(
            f"Trainer.resume: {path}: it is a snapshot of version {version}, this is a reader of {VERSION}. "
            "Resume with the release that wrote it."
        )
    lost = sorted(FACTS.keys() - facts.keys())
    if lost:
        raise RecordError(f"Trainer.resume: {path}: {METADATA} in its metadata lacks {', '.join(lost)}.")
    bad = [f"{name} {facts[name]!r:.40}" for name, fits in FACTS.items() if not fits(facts[name])]
    if not (isinstance(parts, dict) and all(isinstance(part, dict) for part in parts.values())):
        bad.append(f"parts {parts!r:.40}")
    if bad:
        raise RecordError(f"Trainer.resume: {path}: {METADATA} in its metadata has {', '.join(bad)}.")
    model: dict[str, Array] = {}
    for name, array in stored.arrays.items():
        if not name.startswith(TRAINING):
            model[name] = array
            continue
        part, _, rest = name.removeprefix(TRAINING).partition(".")
        parts.setdefault(part, {})[rest] = array
    lost = sorted({"optimizer", "running", "python"} - parts.keys())
    if lost or {"python_rest", "numpy_rest"} - parts["python"].keys():
        raise RecordError(f"Trainer.resume: {path}: the state of {', '.join(lost) or 'python'} is not there.")
    return model, parts, facts


def python_state() -> dict[str, Any]:
    """Return the state of Python's and NumPy's global generators, which data of the user's may draw from."""
    version, words, gauss = random.getstate()
    name, keys, position, has_gauss, cached = np.random.get_state()
    return {
        "python": np.array(words, np.uint32),
        "python_rest": [version, gauss],
        "numpy": np.array(keys),
        "numpy_rest": [name, int(position), int(has_gauss), float(cached)],
    }


def set_python_state(state: Mapping[str, Any]) -> None:
    """Give the global generators back what ``python_state`` found."""
    version, gauss = state["python_rest"]
    random.setstate((version, tuple(int(word) for word in state["python"]), gauss))
    name, position, has_gauss, cached = state["numpy_rest"]
    np.random.set_state((name, np.array(state["numpy"]), position, has_gauss, cached))
