"""PyTorch's functions for the rows of ``ops/decompositions.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Torch = Callable[..., Any]
L = torch.linalg


def symmetric(x: torch.Tensor) -> torch.Tensor:
    return (x + x.mT) * 0.5


def eigh(x: torch.Tensor) -> Any:
    w, v = L.eigh(symmetric(x))
    return w, v * v.detach()[..., :1, :].sign()


def svd(x: torch.Tensor, full_matrices: bool = False) -> Any:
    u, s, vh = L.svd(x, full_matrices=full_matrices)
    k = s.shape[-1]
    sign = u.detach()[..., :1, :k].sign()
    return u[..., :k] * sign, s, vh[..., :k, :] * sign.mT


def qr(x: torch.Tensor, mode: str = "reduced") -> Any:
    q, r = L.qr(x)  # of complete ones PyTorch has no gradient
    sign = r.detach().diagonal(dim1=-2, dim2=-1).sign()[..., None]
    return q * sign.mT, r * sign


PYTORCH: dict[str, Torch] = {
    "cholesky": lambda x, upper=False: L.cholesky(symmetric(x), upper=upper),
    "det": L.det,
    "slogdet": lambda x: tuple(L.slogdet(x)),
    "inv": L.inv,
    "pinv": L.pinv,
    "solve": lambda x1, x2: L.solve(x1, x2) if x2.ndim > 1 else L.solve(x1, x2[:, None])[..., 0],
    "eigh": eigh,
    "eigvalsh": lambda x: L.eigvalsh(symmetric(x)),
    "qr": qr,
    "svd": svd,
    "svdvals": L.svdvals,
    "matrix_norm": lambda x, keepdims=False, ord="fro": L.matrix_norm(x, ord, keepdim=keepdims),
    "matrix_power": lambda x, n: L.matrix_power(x, n),
}
