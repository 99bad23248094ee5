"""``Module``: parameters, buffers and other modules under names, and the function they are for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from backburner._tensor import Tensor
from backburner.errors import ArgumentError, DTypeError, GraphError
from backburner.nn._hooks import Hooks, RemovableHandle, register
from backburner.nn._parameter import Buffer, Parameter, State
from backburner.nn._placed import Placed
from backburner.nn._tree import parts

if TYPE_CHECKING:
    from backburner.record import LoadReport

# What people from elsewhere call, and what there is instead.
_SWITCH = " There is no switch: a module trains on an autodiff device, see Module.to, valid and freeze."
_FLOATS = " Floats here are float32 and float64: use float(), double() or astype(dtype)."
_HOOK = " Use Tensor.register_hook on what the module returns."
_HINTS = {
    "forward": " Define forward in the class.",
    "flatten_parameters": " There is nothing to flatten: leave the call out.",
    "compile": " There is nothing to compile: leave the call out.",
    "eval": _SWITCH,
    "train": _SWITCH,
    "zero_grad": " There is nothing to reset: each backward returns its own gradients.",
    "requires_grad_": " Use freeze() or unfreeze(), for parts with a pattern of names.",
    "cuda": " There is the CPU alone.",
    "cpu": " Use to('cpu') for the plain device, or valid().",
    "half": _FLOATS,
    "bfloat16": _FLOATS,
    "type": _FLOATS,
    "register_full_backward_hook": _HOOK,
    "register_backward_hook": _HOOK,
    "_modules": " Use named_children() and add_module.",
    "_parameters": " Use named_parameters(recurse=False) and register_parameter.",
    "_buffers": " Use named_buffers(recurse=False) and register_buffer.",
}
_SET_ELSEWHERE = {
    "device": "is where the module is, and to(device) moves it. Use another name for the attribute.",
    "training": "follows from the device, and from freeze() and unfreeze(). There is no switch.",
}


class Module(Placed):
    """The base of layers and models.

    Attributes that are parameters, buffers or modules, or lists, tuples and dicts of these, belong to the
    module, under PyTorch's names: ``0.weight``, ``encoder.bias``. A subclass sets them in its ``__init__``
    and defines ``forward``.

    A module trains when its own device is an autodiff device and it is not frozen; ``to`` sets the device,
    also of modules without parameters. There is no other switch.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         self.hidden = nn.Linear(4, 8)
        ...         self.out = nn.Linear(8, 2)
        ...
        ...     def forward(self, x):
        ...         return self.out(self.hidden(x).relu())
        >>> net = Net()
        >>> net(bb.ones((3, 4))).shape, net.num_parameters()
        ((3, 2), 58)
    """

    _hooks: Hooks | None = None

    forward: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward``, between the hooks if there are any."""
        hooks = self._hooks
        return self.forward(*args, **kwargs) if hooks is None else hooks.run(self, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        declared = getattr(type(self), name, None)
        if isinstance(declared, property) and declared.fget is not None:
            return declared.fget(self)  # it raised an AttributeError of its own: show that one
        hint = _HINTS.get(name, "")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        old = self.__dict__.get(name)
        if isinstance(old, State) and value is not None and not isinstance(value, State):
            kind = type(old).__name__
            raise DTypeError(
                f"{type(self).__name__}: {name} is a {kind} and stays one. Use {name}.assign(values), or set a "
                f"new nn.{kind}."
            )
        if name in _SET_ELSEWHERE and getattr(type(self), name) is getattr(Module, name):
            raise AttributeError(f"{type(self).__name__}: {name} {_SET_ELSEWHERE[name]}")
        for _, part in parts(value):
            if hasattr(Module, name):
                raise ArgumentError(
                    f"{type(self).__name__}: {name!r} is a method of Module and cannot name a part. "
                    "Use another name."
                )
            self._adopt(name, part)
        object.__setattr__(self, name, value)

    def _adopt(self, name: str, part: Module | State) -> None:
        """Make a part that is about to become this module's share its device and be frozen if it is."""
        if isinstance(part, Module):
            if any(module is self for module in part.modules()):
                raise ArgumentError(f"{type(self).__name__}: {name} would make the module a part of itself.")
            if self._device is not None:
                part.to(self._device)
            if self._frozen:
                part.freeze()
        else:
            if self._frozen and isinstance(part, Parameter):
                part._freeze(True)
            if self._device is not None:
                part._place(self._device)

    # -- parts by name ----------------------------------------------------------------------------------

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Set the attribute ``name`` to a buffer of these contents, or to ``None``.

        Args:
            name: a new attribute's name, without dots, or that of a buffer.
            tensor: the contents.
            persistent: whether it is saved and loaded with the module.

        Raises:
            ArgumentError: the name is taken by something else, or none for a part.
            DTypeError: ``tensor`` is no tensor, or ``persistent`` not True or False.

        Example:
            >>> import backburner as bb
            >>> from backburner import nn
            >>> model = nn.Linear(1, 1)
            >>> model.register_buffer("table", bb.zeros((3,)), persistent=False)
            >>> [name for name, _ in model.named_buffers()], list(model.state_dict())
            (['table'], ['weight', 'bias'])
        """
        self._register(
            "register_buffer", name, None if tensor is None else Buffer(tensor, persistent), Buffer
        )

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Set the attribute ``name`` to a parameter, or to ``None``.

        Raises:
            ArgumentError: the name is taken by something else, or none for a part.
            DTypeError: ``param`` is no ``nn.Parameter``.
        """
        self._register("register_parameter", name, param, Parameter)

    def add_module(self, name: str, module: Module | None) -> None:
        """Set the attribute ``name`` to a module, or to ``None``.

        Raises:
            ArgumentError: the name is taken by something else, or none for a part.
            DTypeError: ``module`` is no module.
        """
        self._register("add_module", name, module, Module)

    register_module = add_module

    def _register(self, call: str, name: str, part: Any, kind: type[Any]) -> None:
        op = f"{type(self).__name__}.{call}"
        if part is not None and not isinstance(part, kind):
            raise DTypeError(f"{op}: needs an nn.{kind.__name__}, got {type(part).__name__}.")
        if not isinstance(name, str) or not name or "." in name:
            raise ArgumentError(f"{op}: a name is text without dots, not {name!r:.80}.")
        own = self.__dict__.get(name)
        if hasattr(type(self), name) or name in self.__dict__ and not isinstance(own, kind | None):
            raise ArgumentError(f"{op}: {type(self).__name__} has an attribute {name!r}. Use another name.")
        setattr(self, name, part)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before every ``forward``.

        Args:
            hook: what it returns, a tuple or a single argument, takes the arguments' place; ``None`` leaves them.
            prepend: call it before the other hooks.
            with_kwargs: call ``hook(module, args, kwargs)``, which returns ``(args, kwargs)`` or ``None``.

        Returns:
            A handle, whose ``remove()`` takes the hook away.
        """
        return register(self, "register_forward_pre_hook", hook, prepend, with_kwargs, True)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, result)`` after every ``forward``.

        Args:
            hook: what it returns takes the result's place; ``None`` leaves it.
            prepend: call it before the other hooks.
            with_kwargs: call ``hook(module, args, kwargs, result)``.

        Returns:
            A handle, whose ``remove()`` takes the hook away.

        Example:
            >>> import backburner as bb
            >>> from backburner import nn
            >>> model = nn.Sequential(nn.Flatten(), nn.ReLU())
            >>> handle = model[0].register_forward_hook(lambda module, args, result: print(result.shape))
            >>> y = model(bb.ones((2, 3, 4)))
            (2, 12)
            >>> handle.remove()
        """
        return register(self, "register_forward_hook", hook, prepend, with_kwargs, False)

    # -- contents ---------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Tensor]:
        """Return the contents of all parameters and buffers as plain tensors, under PyTorch's keys."""
        return {name: state.inner() if state.is_autodiff() else Tensor(state._primitive, state.device)
                for name, state in self.named_state()}  # fmt: skip

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> LoadReport:
        """Give parameters and buffers the contents of ``state``, all or none; see ``bb.load``.

        Args:
            state: tensors or NumPy arrays by name.
            strict: refuse missing and unexpected names and other shapes.

        Returns:
            A ``LoadReport`` of what was missing, unexpected, mismatched or converted.

        Raises:
            DTypeError: ``state`` is no mapping.
            RecordError: something does not fit, under ``strict``.
        """
        from backburner.record import load

        if not isinstance(state, Mapping):
            raise DTypeError(
                f"Module.load_state_dict: takes arrays by name, not {state!r:.80}. Use bb.load for a file."
            )
        return load(self, state, strict=strict)

    # -- copying and showing ----------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        for name, value in vars(self).items():
            if isinstance(value, Tensor) and value.is_tracked() and not value.is_require_grad():
                raise GraphError(
                    f"{type(self).__name__}: the attribute {name!r} is the result of a recorded op and cannot be "
                    "copied or pickled. Keep its detach(), or delete it."
                )
        return vars(self)

    def extra_repr(self) -> str:
        """Return the options that ``repr`` shows."""
        return ""

    def __repr__(self) -> str:
        options = self.extra_repr().splitlines()
        lines = self._repr_children()
        if not lines and len(options) <= 1:
            return f"{type(self).__name__}({''.join(options)})"
        inside = "\n".join([*options, *lines]).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {inside}\n)"

    def _repr_children(self) -> list[str]:
        return [f"({name}): {child!r}" for name, child in self._children()]
