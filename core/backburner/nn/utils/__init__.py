"""Helpers around layers."""

import typing as _typing

from backburner.nn.utils import rnn as rnn

if not _typing.TYPE_CHECKING:  # or checkers would take any name
    from backburner._hints import refuser as _refuser

    __getattr__ = _refuser(
        __name__,
        {
            "clip_grad_norm_": "optim.clip_by_global_norm(grads, norm), which returns others",
            "clip_grad_value_": "optim.clip_by_value(grads, value), which returns others",
            "parameters_to_vector": "bb.concat([p.flatten() for p in model.parameters()])",
        },
    )
