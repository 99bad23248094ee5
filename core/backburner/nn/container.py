"""Modules that hold others, or parameters, and compute nothing of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self, overload

from backburner._tensor import Tensor
from backburner.errors import MissingKey
from backburner.nn._holder import Keyed, Listed, Uncallable
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter
from backburner.ops._operands import integer
from backburner.ops.shape import flatten


class Sequential(Listed[Module]):
    """Modules one after the other, named ``0``, ``1`` and so on.

    Args:
        *modules: each takes what the one before gives. One mapping gives them by name instead.

    Raises:
        DTypeError: an entry is no module.
        ArgumentError: a name has a dot, or is that of a method.

    Example:
        >>> from backburner import nn
        >>> model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        >>> model[1:]
        Sequential(
          (1): ReLU()
          (2): Linear(in_features=8, out_features=2, bias=True)
        )
        >>> nn.Sequential({"hidden": nn.Linear(4, 8), "out": nn.Linear(8, 2)}).out.out_features
        2
    """

    _kind = Module

    @overload
    def __init__(self, *modules: Module) -> None: ...
    @overload
    def __init__(self, modules: Mapping[str, Module], /) -> None: ...
    def __init__(self, *modules: Any) -> None:
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                self.add_module(name, self._entry(module, repr(name)))
        else:
            self.extend(modules)

    def forward(self, x: Any) -> Any:
        for name, module in self._entries().items():
            try:
                x = module(x)
            except Exception as error:
                error.add_note(f"Sequential: this was in entry {name}, {type(module).__name__}.")
                raise
        return x

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            picked = Sequential()
            self._like(picked)
            picked.__dict__.update(list(self._entries().items())[index])
            return picked
        return list(self)[self._place_of(index)]

    def __add__(self, other: Iterable[Module]) -> Sequential:
        return Sequential(*self, *other)

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*list(self) * integer("Sequential", "the number of times", times))

    __rmul__ = __mul__


class ModuleList(Uncallable[Module], Listed[Module]):
    """A list of modules, which belong to the module that it is an attribute of.

    Args:
        modules: the first entries.

    Raises:
        DTypeError: an entry is no module.

    Example:
        >>> from backburner import nn
        >>> blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        >>> blocks.append(nn.ReLU())
        ModuleList(
          (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
          (3): ReLU()
        )
    """

    _kind = Module

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        if modules is not None:
            self.extend(modules)

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> ModuleList: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            picked = ModuleList()
            self._like(picked)
            picked.__dict__.update((str(i), entry) for i, entry in enumerate(list(self)[index]))
            return picked
        return list(self)[self._place_of(index)]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def _repr_children(self) -> list[str]:
        lines: list[str] = []
        runs: list[tuple[int, int, str]] = []  # the first and the last place of entries that look the same
        for place, entry in enumerate(self):
            text = repr(entry)
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], place, text)
            else:
                runs.append((place, place, text))
        for first, last, text in runs:
            lines.append(
                f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            )
        return lines


class ParameterList(Uncallable[Parameter], Listed[Parameter]):
    """A list of parameters, which belong to the module that it is an attribute of.

    Args:
        values: the first entries; a tensor becomes a parameter.

    Raises:
        DTypeError: an entry is no floating tensor.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ParameterList([bb.ones((2, 3))])
        ParameterList(
          (0): Parameter [2, 3] float32
        )
    """

    _kind = Parameter

    def __init__(self, values: Iterable[Tensor] | None = None) -> None:
        if values is not None:
            self.extend(values)

    @overload
    def __getitem__(self, index: int) -> Parameter: ...
    @overload
    def __getitem__(self, index: slice) -> ParameterList: ...
    def __getitem__(self, index: int | slice) -> Parameter | ParameterList:
        if isinstance(index, slice):
            picked = ParameterList()
            self._like(picked)
            picked.__dict__.update((str(i), entry) for i, entry in enumerate(list(self)[index]))
            return picked
        return list(self)[self._place_of(index)]


class ModuleDict(Keyed[Module]):
    """Modules by name, which belong to the module that it is an attribute of.

    Args:
        modules: the first entries, as a mapping or as pairs.

    Raises:
        DTypeError: an entry is no module.
        ArgumentError: a name has a dot, or is that of a method, such as ``pop``.

    Example:
        >>> from backburner import nn
        >>> heads = nn.ModuleDict({"age": nn.Linear(4, 1), "sex": nn.Linear(4, 2)})
        >>> list(heads), heads["sex"].out_features, list(heads.state_dict())[0]
        (['age', 'sex'], 2, 'age.weight')
    """

    _kind = Module

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        if modules is not None:
            self.update(modules)


class ParameterDict(Keyed[Parameter]):
    """Parameters by name, which belong to the module that it is an attribute of.

    Args:
        parameters: the first entries, as a mapping or as pairs; a tensor becomes a parameter.

    Raises:
        DTypeError: an entry is no floating tensor.
        ArgumentError: a name has a dot, or is that of a method.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> scales = nn.ParameterDict({"left": bb.ones((2,)), "right": bb.zeros((2,))})
        >>> [(name, p.tolist()) for name, p in scales.items()]
        [('left', [1.0, 1.0]), ('right', [0.0, 0.0])]
    """

    _kind = Parameter

    def __init__(self, parameters: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]] | None = None) -> None:
        if parameters is not None:
            self.update(parameters)

    def setdefault(self, key: str, default: Tensor) -> Parameter:
        """Return an entry; where there is none of that name ``default`` becomes it."""
        if key not in self:
            self[key] = default
        return self[key]

    def popitem(self) -> tuple[str, Parameter]:
        """Take the last entry out and return its name and it."""
        if not len(self):
            raise MissingKey("ParameterDict.popitem: there is no entry.")
        name = list(self)[-1]
        return name, self.pop(name)

    @classmethod
    def fromkeys(cls, keys: Iterable[str], default: Tensor) -> ParameterDict:
        """Return a dict that has a parameter under each name; of a tensor each gets its own."""
        return cls((key, default) for key in keys)

    def __or__(self, other: Mapping[str, Tensor] | ParameterDict) -> ParameterDict:
        both = self.copy()
        both.update(other)
        return both

    def __ior__(self, other: Mapping[str, Tensor] | ParameterDict) -> Self:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """Return another dict of the same parameters."""
        return ParameterDict(self.items())


class Identity(Module):
    """Returns what it is given.

    Args:
        *args: ignored, so that it takes the place of any layer.
        **kwargs: ignored.

    Example:
        >>> from backburner import nn
        >>> nn.Identity(54, unused=True)(3)
        3
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def forward(self, x: Any) -> Any:
        return x


class Flatten(Module):
    """Makes the axes from ``start_axis`` through ``end_axis`` one; by default all but the first.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Flatten()(bb.ones((2, 3, 4))).shape, nn.Flatten(0, 1)(bb.ones((2, 3, 4))).shape
        ((2, 12), (6, 4))
    """

    def __init__(self, start_axis: int = 1, end_axis: int = -1) -> None:
        self.start_axis = integer("Flatten", "start_axis", start_axis)
        self.end_axis = integer("Flatten", "end_axis", end_axis)

    def forward(self, x: Tensor) -> Tensor:
        return flatten(x, self.start_axis, self.end_axis)

    def extra_repr(self) -> str:
        return f"start_axis={self.start_axis}, end_axis={self.end_axis}"
