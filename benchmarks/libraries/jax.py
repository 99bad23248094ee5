"""JAX: the models as functions of PyTorch's weights, and a step that is compiled as a whole.

JAX has no layers and no optimizer of its own, so both are written here as its documentation writes them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks import models
from benchmarks.libraries import BETAS, EPSILON, LEARNING_RATE, Outputs, Task, inputs, trained, weights

jax: Any = None
jnp: Any = None
lax: Any = None
Weights = dict[str, Any]


class Library:
    def __init__(self, threads: int) -> None:
        global jax, jnp, lax
        # XLA takes as many threads as it may use cores, and has no setting for it.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
        jax, jnp, lax = (import_module(name) for name in ("jax", "jax.numpy", "jax.lax"))

    def train(self, model: str, data: str) -> Task:
        spec, forward = models.MODELS[model], FORWARD[model]
        arrays, expected = inputs(data)
        xs, target = [jnp.asarray(x) for x in arrays], jnp.asarray(expected)
        state = {name: jnp.asarray(w) for name, w in weights(data).items()}
        running = {name: state.pop(name) for name in list(state) if "running" in name}

        def loss(params: Weights, running: Weights, *xs: Any) -> tuple[Any, Weights]:
            after = dict(running)
            y = forward(params, after, *xs)
            if spec.loss == "mse":
                return jnp.mean((y - target) ** 2), after
            logs = jax.nn.log_softmax(y.reshape(-1, y.shape[-1]))
            return -jnp.mean(jnp.take_along_axis(logs, target.reshape(-1, 1), 1)), after

        graded = jax.value_and_grad(loss, has_aux=True)

        @partial(jax.jit, donate_argnums=(0, 1, 2, 3))
        def step(params: Weights, running: Weights, m: Weights, v: Weights, t: Any, *xs: Any) -> Any:
            (value, running), grads = graded(params, running, *xs)
            for name, g in grads.items():
                m[name] = BETAS[0] * m[name] + (1 - BETAS[0]) * g
                v[name] = BETAS[1] * v[name] + (1 - BETAS[1]) * g * g
                rate = LEARNING_RATE / (1 - BETAS[0] ** t)
                params[name] -= rate * m[name] / (jnp.sqrt(v[name]) / jnp.sqrt(1 - BETAS[1] ** t) + EPSILON)
            return value, params, running, m, v, t + 1

        def zeros() -> Weights:
            return {name: jnp.zeros_like(w) for name, w in state.items()}

        held = [state, running, zeros(), zeros(), jnp.float32(1)]

        def run() -> Any:
            value, *held[:] = step(*held, *xs)
            return jax.block_until_ready(value)

        def gradients() -> tuple[float, Outputs]:
            (value, _), grads = jax.jit(graded)(held[0], held[1], *xs)
            return float(value), {name: np.array(g) for name, g in grads.items()}

        def parameters() -> Outputs:
            return {name: np.array(w) for name, w in held[0].items()}

        return Task(run, trained(run, gradients, parameters, float))


# -- layers


def _linear(p: Weights, name: str, x: Any) -> Any:
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def _conv(p: Weights, name: str, x: Any, stride: int = 1, padding: int = 0, groups: int = 1) -> Any:
    sides = [(padding, padding)] * 2
    y = lax.conv_general_dilated(x, p[f"{name}.weight"], (stride, stride), sides, feature_group_count=groups)
    bias = p.get(f"{name}.bias")
    return y if bias is None else y + bias[:, None, None]


def _batch_norm(p: Weights, running: Weights, name: str, x: Any) -> Any:
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
    count = x.size / x.shape[1]
    for key, value in (("running_mean", mean), ("running_var", var * count / (count - 1))):
        running[f"{name}.{key}"] = 0.9 * running[f"{name}.{key}"] + 0.1 * value
    scale = p[f"{name}.weight"] * lax.rsqrt(var + 1e-5)
    return (x - mean[:, None, None]) * scale[:, None, None] + p[f"{name}.bias"][:, None, None]


def _layer_norm(p: Weights, name: str, x: Any) -> Any:
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * p[f"{name}.weight"] + p[f"{name}.bias"]


def _max_pool(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


# -- models


def _perceptron(p: Weights, running: Weights, x: Any) -> Any:
    names = sorted({int(name.split(".")[0]) for name in p})
    for i in names[:-1]:
        x = jax.nn.relu(_linear(p, str(i), x))
    return _linear(p, str(names[-1]), x)


def _lenet(p: Weights, running: Weights, x: Any) -> Any:
    x = _max_pool(jax.nn.relu(_conv(p, "0", x, padding=2)))
    x = _max_pool(jax.nn.relu(_conv(p, "3", x)))
    x = jax.nn.relu(_linear(p, "7", x.reshape(x.shape[0], -1)))
    return _linear(p, "11", jax.nn.relu(_linear(p, "9", x)))


def _resnet8(p: Weights, running: Weights, x: Any) -> Any:
    x = jax.nn.relu(_batch_norm(p, running, "1", _conv(p, "0", x, padding=1)))
    for i, stride in ((3, 1), (4, 2), (5, 2)):
        y = jax.nn.relu(_batch_norm(p, running, f"{i}.bn1", _conv(p, f"{i}.conv1", x, stride, 1)))
        y = _batch_norm(p, running, f"{i}.bn2", _conv(p, f"{i}.conv2", y, 1, 1))
        if stride != 1:
            x = _batch_norm(p, running, f"{i}.downsample.1", _conv(p, f"{i}.downsample.0", x, stride))
        x = jax.nn.relu(y + x)
    return _linear(p, "8", x.mean((2, 3)))


def _mobilenet(p: Weights, running: Weights, x: Any) -> Any:
    x = jax.nn.relu(_batch_norm(p, running, "1", _conv(p, "0", x, 2, 1)))
    for i, stride in ((3, 1), (4, 2), (5, 1), (6, 2), (7, 1)):
        x = _conv(p, f"{i}.0", x, stride, 1, groups=x.shape[1])
        x = jax.nn.relu(_batch_norm(p, running, f"{i}.1", x))
        x = jax.nn.relu(_batch_norm(p, running, f"{i}.4", _conv(p, f"{i}.3", x)))
    return _linear(p, "10", x.mean((2, 3)))


def _scanned(p: Weights, x: Any, cell: Callable[[Any, Any], Any], carry: Any) -> Any:
    """Run a cell over the time of a batch, whose inputs are projected ahead, and classify the last hidden state."""
    gates = x.transpose(1, 0, 2) @ p["rnn.weight_ih_l0"].T + p["rnn.bias_ih_l0"]
    carry, hidden = lax.scan(cell, carry, gates)
    return _linear(p, "head", hidden[-1])


def _lstm(p: Weights, running: Weights, x: Any) -> Any:
    weight, bias = p["rnn.weight_hh_l0"].T, p["rnn.bias_hh_l0"]

    def cell(carry: Any, gates: Any) -> Any:
        h, c = carry
        i, f, g, o = jnp.split(gates + h @ weight + bias, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[0], weight.shape[0]))
    return _scanned(p, x, cell, (zero, zero))


def _gru(p: Weights, running: Weights, x: Any) -> Any:
    weight, bias = p["rnn.weight_hh_l0"].T, p["rnn.bias_hh_l0"]

    def cell(h: Any, gates: Any) -> Any:
        r, z, n = jnp.split(gates, 3, axis=-1)
        hr, hz, hn = jnp.split(h @ weight + bias, 3, axis=-1)
        r, z = jax.nn.sigmoid(r + hr), jax.nn.sigmoid(z + hz)
        h = (1 - z) * jnp.tanh(n + r * hn) + z * h
        return h, h

    return _scanned(p, x, cell, jnp.zeros((x.shape[0], weight.shape[0])))


def _attention(qkv: Any, heads: int, causal: bool) -> Any:
    n, t, width = qkv.shape
    q, k, v = (y.reshape(n, t, heads, -1) for y in jnp.split(qkv, 3, axis=-1))
    return jax.nn.dot_product_attention(q, k, v, is_causal=causal).reshape(n, t, width // 3)


def _encoder(p: Weights, running: Weights, x: Any) -> Any:
    for i in range(6):
        at = f"encoder.layers.{i}"
        qkv = x @ p[f"{at}.self_attn.in_proj_weight"].T + p[f"{at}.self_attn.in_proj_bias"]
        y = _linear(p, f"{at}.self_attn.out_proj", _attention(qkv, 12, False))
        x = _layer_norm(p, f"{at}.norm1", x + y)
        y = jax.nn.gelu(_linear(p, f"{at}.linear1", x), approximate=False)
        x = _layer_norm(p, f"{at}.norm2", x + _linear(p, f"{at}.linear2", y))
    return _linear(p, "head", x.mean(1))


def _gpt(p: Weights, running: Weights, x: Any) -> Any:
    y = p["tokens.weight"][x] + p["places.weight"][: x.shape[1]]
    for i in range(4):
        at = f"blocks.{i}"
        qkv = _linear(p, f"{at}.qkv", _layer_norm(p, f"{at}.norm1", y))
        y = y + _linear(p, f"{at}.proj", _attention(qkv, 4, True))
        up = jax.nn.gelu(_linear(p, f"{at}.up", _layer_norm(p, f"{at}.norm2", y)), approximate=False)
        y = y + _linear(p, f"{at}.down", up)
    return _linear(p, "head", _layer_norm(p, "norm", y))


FORWARD: dict[str, Callable[..., Any]] = {
    "mlp-tabular": _perceptron,
    "mlp-mnist": _perceptron,
    "lenet": _lenet,
    "resnet8": _resnet8,
    "mobilenet": _mobilenet,
    "lstm": _lstm,
    "gru": _gru,
    "encoder": _encoder,
    "gpt": _gpt,
}
