"""The digits job: a small convolutional network, from images to a file that needs NumPy alone."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import backburner as bb
from backburner import data
from backburner.data._sampler import raw_bits
from backburner.models import digits as digits_model
from backburner.nn import functional as F
from backburner.threads import one_blas_thread
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import Adam, schedules
from backburner_autodiff.train._curve import Epoch, can_draw, draw, write_table
from backburner_autodiff.train._interrupt import Interrupt
from backburner_autodiff.train._job import check_whole, checked_output, seeded
from backburner_autodiff.train._progress import Progress

BATCH = 32
PEAK = 5e-3
WARMING = 0.15  # the share of all steps in which the rate rises


class Trained(NamedTuple):
    """What a training job leaves.

    Attributes:
        model: the network, on the autodiff device.
        epochs: loss and accuracy of each.
        files: what was written: the weights, the table, and the picture where Matplotlib is installed.
        interrupted: whether Ctrl-C ended it early.
    """

    model: bb.nn.Module
    epochs: tuple[Epoch, ...]
    files: tuple[Path, ...]
    interrupted: bool


def digits(
    output: str | os.PathLike[str] = "digits.safetensors",
    *,
    epochs: int = 20,
    seed: int = 0,
    show: bool = True,
) -> Trained:
    """Train the digits network, and save the weights of its last step and the curve of its loss.

    The weights are the last, not the best on the held-out images, which so stay a fair measure. Beside them
    go a ``.loss.csv`` with loss and accuracy of each epoch and, where Matplotlib is installed, a ``.loss.png``
    of them.
    The same seed gives the same bytes.

    Ctrl-C lets the step finish and saves what there is; a second one stops at once, and an old file stays.

    Args:
        output: the file for the weights, ``*.safetensors``.
        epochs: how often each image is seen.
        seed: decides the first weights, the order of the images and how they are shifted.
        show: whether to show progress.

    Raises:
        ArgumentError: an argument that makes no sense.
        OSError: a file cannot be written.
    """
    path = checked_output(output)
    check_whole("epochs", epochs, 1)
    check_whole("seed", seed, 0)

    with Interrupt() as interrupt, one_blas_thread():
        model, rows, steps = _train(epochs, seed, interrupt, show)
        # not digits.csv, which may hold the user's images
        table, picture = (path.with_name(f"{path.stem}.loss.{kind}") for kind in ("csv", "png"))
        digits_model.save(model, path)
        files = [path, table]
        with _naming(table):
            write_table(rows, table)
        if can_draw():
            files.append(picture)
            with _naming(picture):
                draw(rows, picture)
    report = Progress(None, show)
    report.line(f"Wrote {', '.join(map(str, files))}")
    if len(files) < 3:
        report.line('For the curve as a picture: pip install "backburner-autodiff[plot]"')
    return Trained(model, tuple(rows), tuple(files), steps < epochs * _steps_per_epoch())


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let an error of the system, such as a full disk, name the file."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


def _steps_per_epoch() -> int:
    return -(-len(data.digits_split()[0]) // BATCH)


def _train(epochs: int, seed: int, interrupt: Interrupt, show: bool) -> tuple[bb.nn.Module, list[Epoch], int]:
    images, labels = data.digits()
    inputs = digits_model.prepare(images)
    train, held_out = data.digits_split()
    device = bb.Device.cpu().autodiff()
    total = epochs * _steps_per_epoch()
    rise = math.ceil(WARMING * total)
    with seeded(device, seed):
        model = digits_model.network(device)
    optimizer = Adam(model, lr=schedules.warmup(schedules.cosine(PEAK, max(total - rise, 1)), rise))
    rows: list[Epoch] = []
    with Progress(total, show) as progress:
        progress.line(
            f"Training {model.num_parameters():,} parameters on {len(train):,} digits, seed {seed}. "
            "The first run on a machine compiles kernels."
        )
        for epoch in range(epochs):
            start = perf_counter()
            shifted = _shift(inputs[train], seed, epoch)
            batches = data.batches(
                shifted, labels[train], batch_size=BATCH, shuffle=True, seed=seed, device=device
            )
            batches.epoch = epoch
            losses, seen, steps = 0.0, 0, 0
            for x, y in batches:
                loss = F.cross_entropy(model(x), y)
                optimizer.step(loss.backward())
                losses, seen, steps = losses + float(loss) * len(y), seen + len(y), steps + 1
                progress.advance(f"epoch {epoch + 1}")
                if interrupt.asked:
                    break
            accuracy = digits_model.accuracy(model.valid(), inputs[held_out], labels[held_out])
            rows.append(Epoch(epoch + 1, steps, losses / seen, accuracy))
            progress.line(
                f"epoch {epoch + 1:2}/{epochs}   loss {losses / seen:.4f}   held-out accuracy {accuracy:.2%}   "
                f"{perf_counter() - start:.1f} s"
            )
            if interrupt.asked:
                break
    return model, rows, optimizer.steps


def _shift(inputs: Array, seed: int, epoch: int) -> Array:
    """Return each image moved by up to a pixel either way, which seed and epoch decide."""
    n = len(inputs)
    draws = raw_bits("train", n, seed, epoch, 1) % 9
    padded = np.pad(inputs, ((0, 0), (0, 0), (1, 1), (1, 1)))
    places: Array = sliding_window_view(padded, inputs.shape[2:], axis=(2, 3))
    moved: Array = places[np.arange(n), :, draws // 3, draws % 3]
    return moved
