"""Devices: what they are, and which of them meet."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

import backburner as bb

CPU = bb.Device.cpu()
needs_autodiff = pytest.mark.feature_set("autodiff")


def test_devices_are_interned_hashable_and_immutable() -> None:
    assert bb.Device() is CPU and bb.Device("cpu") is CPU and bb.Device(CPU) is CPU
    assert len({CPU, bb.Device.cpu()}) == 1 and bb.Device.enumerate() == [CPU]
    assert pickle.loads(pickle.dumps(CPU)) is CPU and copy.deepcopy(CPU) is CPU
    with pytest.raises(AttributeError, match="Device is immutable"):
        CPU.kind = "gpu"
    assert repr(CPU) == "Device('cpu')"


def test_a_plain_device_answers_without_the_feature() -> None:
    assert not CPU.is_autodiff() and CPU.without_autodiff() is CPU and CPU.inner() is CPU
    assert CPU.gradient_checkpointing_strategy() is None
    assert (
        CPU.supports_dtype("float32") and CPU.supports_dtype(bb.int64) and not CPU.supports_dtype("float16")
    )
    assert CPU.settings() == (bb.float32, bb.int64, bb.bool)
    CPU.sync()


def test_the_environment_may_name_the_device() -> None:
    code = "import backburner as bb; print(bb.Device())"
    for value, expected in (("cpu", "Device('cpu')"), ("", "Device('cpu')"), ("tpu", "there is no 'tpu'")):
        run = subprocess.run(
            [sys.executable, "-c", code], env={"BACKBURNER_DEVICE": value}, capture_output=True, text=True
        )
        assert expected in run.stdout + run.stderr


def test_a_seed_decides_the_draws_and_is_checked() -> None:
    CPU.seed(3)
    first = bb.random.normal((4,)).tolist()
    assert bb.random.normal((4,)).tolist() != first
    CPU.seed(3)
    assert bb.random.normal((4,)).tolist() == first
    for bad in (-1, 2**64, 1.5, True, "1"):
        with pytest.raises(bb.ArgumentError, match="seed"):
            CPU.seed(bad)  # type: ignore[arg-type]


@needs_autodiff
def test_autodiff_is_a_property_that_comes_and_goes() -> None:
    device = CPU.autodiff()
    assert device.is_autodiff() and device is not CPU and device != CPU
    assert device.autodiff() is device and device.inner() is CPU and device.without_autodiff() is CPU
    assert device.gradient_checkpointing_strategy() == bb.GradientCheckpointing.DISABLED
    balanced = device.gradient_checkpointing()
    assert balanced.gradient_checkpointing_strategy() == bb.GradientCheckpointing.BALANCED
    assert balanced.autodiff() is balanced and balanced.inner() is CPU
    for found in (device, balanced):
        assert pickle.loads(pickle.dumps(found)) is found
    assert bb.Device.enumerate() == [CPU]
    assert repr(balanced) == "Device('cpu', autodiff, BALANCED)"


@needs_autodiff
def test_plain_and_autodiff_share_a_stream_of_seeds() -> None:
    CPU.autodiff().seed(3)
    first = bb.random.uniform((3,), device=CPU.autodiff()).tolist()
    CPU.seed(3)
    assert bb.random.uniform((3,)).tolist() == first


@needs_autodiff
def test_checkpointing_needs_an_autodiff_device_and_a_strategy() -> None:
    message = "Device.gradient_checkpointing requires autodiff; call Device.autodiff first"
    with pytest.raises(bb.DeviceError, match=message):
        CPU.gradient_checkpointing()
    with pytest.raises(bb.ArgumentError, match="not a strategy"):
        CPU.autodiff().gradient_checkpointing("balanced")  # type: ignore[arg-type]


def test_strategies_are_frozen_values() -> None:
    strategy = bb.GradientCheckpointing.BALANCED
    assert pickle.loads(pickle.dumps(strategy)) == strategy and hash(strategy) == hash(copy.copy(strategy))
    assert strategy != bb.GradientCheckpointing.DISABLED
    with pytest.raises(AttributeError, match="frozen"):
        strategy.name = "OTHER"


@needs_autodiff
def test_contexts_merge_and_integers_keep_theirs() -> None:
    device = CPU.autodiff()
    plain, constant = bb.ones((2,)), bb.ones((2,), device=device)
    leaf = constant.require_grad()
    assert (plain + constant).device is device and not (plain + constant).is_tracked()
    assert (plain + leaf).is_tracked() and (leaf + plain).is_tracked()
    assert bb.arange(2, device=device).device is device
    assert bb.where(bb.tensor([True, False]), leaf, plain).is_tracked()
    assert bb.concat([plain, leaf]).is_tracked() and bb.stack([plain, leaf]).device is device


@needs_autodiff
def test_tensors_move_between_contexts_without_a_copy() -> None:
    import numpy as np

    device = CPU.autodiff()
    plain = bb.ones((2,))
    there = plain.to(device)
    assert there.device is device and np.shares_memory(there.numpy(), plain.numpy())
    assert bb.Tensor.from_inner(plain).device is device and there.inner().device is CPU
    with pytest.raises(bb.DeviceError, match="Use detach"):
        there.require_grad().to(CPU)
    assert there.require_grad().detach().to(CPU).device is CPU
