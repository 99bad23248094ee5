"""What ``__array_namespace_info__`` tells about the namespace, for code written to the Array API."""

from __future__ import annotations

from typing import Any

from backburner.device import Device
from backburner.dtype import ALL, DEFAULT_FLOAT, DEFAULT_INT, DType, of_kind


class NamespaceInfo:
    """The namespace's abilities, devices and dtypes."""

    __slots__ = ()

    def capabilities(self) -> dict[str, bool | int | None]:
        """Return what the standard leaves open and is there."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Return where tensors are made unless said otherwise."""
        return Device()

    def devices(self) -> list[Device]:
        """Return the devices of this machine."""
        Device()  # which there is even where nobody has asked for one
        return Device.enumerate()

    def default_dtypes(self, *, device: Device | None = None) -> dict[str, DType]:
        """Return the dtypes of what is made from Python's numbers; there are no complex ones."""
        Device(device)
        return {"real floating": DEFAULT_FLOAT, "integral": DEFAULT_INT, "indexing": DEFAULT_INT}

    def dtypes(
        self, *, device: Device | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the dtypes by name, all or those of a kind as ``isdtype`` has it.

        Raises:
            DTypeError: there is no such kind.
        """
        Device(device)
        found: Any = ALL if kind is None else of_kind("dtypes", kind)
        return {str(dtype): dtype for dtype in ALL if dtype in found}


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807  the standard's name
    """Return what the namespace can do, by the Array API standard."""
    return NamespaceInfo()
