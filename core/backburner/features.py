"""What this build admits, what is installed beside it, and whether the two give a feature.

A feature is usable when this build admits it and an installed distribution provides it. Providers announce
themselves by an entry point, which is looked for when a feature is first asked for and never at import.
No lock is held while a provider is imported: the import system has its own, and what is kept here is kept
by single dict operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from backburner import _features
from backburner._hints import refuser
from backburner._version import __version__
from backburner.errors import ArgumentError, FeatureError

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

GROUP: Final = "backburner.features"
CONTRACT_VERSION: Final = 1
"""The version of the `autodiff` contract that this core speaks; a provider's class states its own."""

State = Literal["locked", "absent", "ambiguous", "incompatible", "broken", "available"]


class Feature(NamedTuple):
    """What the core knows of a feature: who provides it, and which version of its contract it needs."""

    distribution: str
    contract_version: int


KNOWN: Final = {"autodiff": Feature("backburner-autodiff", CONTRACT_VERSION)}


class Status(NamedTuple):
    """What became of a feature on this installation.

    Attributes:
        name: the feature.
        state: ``locked``, ``absent``, ``ambiguous``, ``incompatible``, ``broken`` or ``available``.
        version: of the distribution that provides it; empty where there is not exactly one.
        reason: why it is in that state, a clause.
        remedy: what to do about it, a sentence; empty when it is available.
    """

    name: str
    state: State
    version: str
    reason: str
    remedy: str


class _Provider(NamedTuple):
    """An installed distribution that announces a feature; equal to another when it is the same release."""

    distribution: str
    version: str
    target: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"


class _Answer(NamedTuple):
    status: Status
    implementation: type[Any] | None = None
    cause: BaseException | None = None


_implementations: dict[str, type[Any]] = {}
_available: dict[str, Status] = {}
_was_absent: set[str] = set()
# A provider whose import failed halfway fails otherwise the second time: the first failure is the true one.
_failures: dict[_Provider, Exception] = {}


def admitted() -> frozenset[str]:
    """Return the features that the build of this core lets in."""
    if _features.BAKED is not None:
        return _features.BAKED
    from importlib import metadata  # costs more than the rest of the core, so only where it is needed

    try:
        extras = metadata.metadata("backburner").get_all("Provides-Extra") or []
    except Exception:  # no metadata, or none that can be read: a source tree, which admits everything
        return frozenset(KNOWN)
    return frozenset(extras) & frozenset(KNOWN)


def status(name: str) -> Status:
    """Say in which state a feature is; loads its provider where the answer depends on it.

    Raises:
        ArgumentError: there is no feature of that name.
    """
    return _look(name).status


def require(name: str, call: str = "") -> type[Any]:
    """Return the class that implements a feature.

    Args:
        name: the feature.
        call: what needs it, such as ``Device.autodiff``, for the message.

    Raises:
        FeatureError: it is not available; the failure of a broken provider is the cause.
        ArgumentError: there is no feature of that name.
    """
    implementation = _implementations.get(name)
    if implementation is not None:
        return implementation
    answer = _look(name)
    if answer.implementation is None:
        _, state, _, reason, remedy = answer.status
        raise FeatureError(name, call, state, reason, remedy) from answer.cause
    return answer.implementation


def door(
    feature: str, module: str, names: Sequence[str], hints: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module whose listed names a feature's provider holds.

    Args:
        feature: the feature.
        module: the door's ``__name__``, such as ``backburner.optim``.
        names: what the door lists; any other name is an ``AttributeError``.
        hints: what to use instead of names that people look for and that are not there.
    """

    refuse = refuser(module, hints or {})

    def get(name: str) -> Any:
        if name not in names:
            refuse(name)
        return _behind(feature, module, name)

    def listing() -> list[str]:
        import sys

        return sorted({*vars(sys.modules[module]), *names})

    return get, listing


def _behind(feature: str, module: str, name: str) -> Any:
    """Fetch a door's name from the module that the provider's contract says stands behind it."""
    from importlib import import_module

    call = f"{module}.{name}"
    implementation = require(feature, call)
    who = f"{feature} of {implementation.__module__}"
    target = implementation.modules.get(module.rpartition(".")[2])
    remedy = _reinstall(KNOWN[feature].distribution, feature)
    if target is None:
        raise FeatureError(feature, call, "incompatible", f"{who} has nothing behind {module}", remedy)
    try:
        found = import_module(target)
    except Exception as error:
        reason = f"{target} is installed, but its import failed with {_told(error)}"
        raise FeatureError(feature, call, "broken", reason, _mend(error, target, remedy, feature)) from error
    if not hasattr(found, name):
        raise FeatureError(feature, call, "incompatible", f"{target} has no {name}", remedy)
    return getattr(found, name)


def _look(name: str) -> _Answer:
    """Go through the states in their order, up to the first that holds."""
    if name in _implementations:
        return _Answer(_available[name], _implementations[name])
    if name not in KNOWN:
        raise ArgumentError(
            f"features: unknown feature: {name!r}. Ask for one of: {', '.join(sorted(KNOWN))}."
        )
    feature = KNOWN[name]

    def answer(state: State, version: str, reason: str, remedy: str) -> _Answer:
        return _Answer(Status(name, state, version, reason, remedy))

    if name not in admitted():
        reason = (
            f"this build of backburner was made without it, and ignores any {feature.distribution} installed"
        )
        remedy = f"Install a build that admits it: pip install --force-reinstall {_extra(name)}"
        return answer("locked", "", reason, remedy)

    found, unreadable = _scan(name)
    if not found:
        _was_absent.add(name)
        return answer("absent", "", *_absence(name, unreadable))
    if len(found) > 1:
        who = " and ".join(sorted(map(str, found)))
        others = sorted(p.distribution for p in found if _canonical(p.distribution) != feature.distribution)
        remedy = f"Uninstall all but one of them, such as: pip uninstall {others[0]}"
        return answer("ambiguous", "", f"more than one installed distribution provides it: {who}", remedy)

    provider, entry_point = next(iter(found.items()))
    version, reinstall = provider.version, _reinstall(provider.distribution, name)
    if _canonical(provider.distribution) == feature.distribution and version != __version__:
        reason = (
            f"backburner {__version__} needs {feature.distribution} {__version__}, and {version} is installed"
        )
        remedy = f'Install the one that fits: pip install "backburner[{name}]=={__version__}"'
        return answer("incompatible", version, reason, remedy)

    loaded, failure = _load(provider, entry_point)
    if failure is not None:
        reason = f"{provider} is installed, but its import failed with {_told(failure)}"
        remedy = _mend(failure, entry_point.module, reinstall, name)
        return answer("broken", version, reason, remedy)._replace(cause=failure)

    speaks = getattr(loaded, "contract_version", None) if isinstance(loaded, type) else None
    if speaks != feature.contract_version:
        needs = f"version {feature.contract_version} of the contract"
        spoken = "no version of it" if speaks is None else f"version {speaks}"
        reason = f"backburner {__version__} needs {needs}, and {provider} implements {spoken}"
        ours = _canonical(provider.distribution) == feature.distribution
        remedy = reinstall if ours else f"Install a {provider.distribution} that implements {needs}"
        return answer("incompatible", version, reason, remedy)

    _available[name] = Status(name, "available", version, f"provided by {provider}", "")
    return _Answer(_available[name], _implementations.setdefault(name, loaded))


def _scan(name: str) -> tuple[dict[_Provider, EntryPoint], list[str]]:
    """Find who announces a feature, and whose announcement cannot be read.

    Of one distribution that lies on the path several times the first counts, as for imports.
    """
    import importlib
    from importlib import metadata

    if name in _was_absent:  # it may have been installed since, by `%pip install` in a notebook
        importlib.invalidate_caches()
        metadata.MetadataPathFinder().invalidate_caches()  # which Python 3.11 leaves out above
    found: dict[str, tuple[_Provider, EntryPoint]] = {}
    unreadable: list[str] = []
    for distribution in metadata.distributions():
        folder = _folder(distribution)
        if folder.startswith("~"):  # what pip leaves of an uninstall that could not finish
            continue
        try:
            if GROUP not in (distribution.read_text("entry_points.txt") or ""):
                continue
            owner, version = distribution.metadata["Name"], distribution.version
            for entry_point in distribution.entry_points.select(group=GROUP, name=name):
                provider = _Provider(owner, version, entry_point.value)
                found.setdefault(_canonical(owner), (provider, entry_point))
        except Exception:  # somebody else's damaged distribution must not take the core down
            unreadable.append(folder or "one without a name")
    return dict(found.values()), unreadable


def _load(provider: _Provider, entry_point: EntryPoint) -> tuple[Any, Exception | None]:
    """Import what a provider announces, once: a failure is kept, with its own traceback."""
    failure = _failures.get(provider)
    if failure is not None:
        return None, failure
    try:
        return entry_point.load(), None
    except Exception as error:  # foreign code may fail in any way; what it raised is shown as the cause
        return None, _failures.setdefault(provider, error)


def _absence(name: str, unreadable: list[str]) -> tuple[str, str]:
    """Say why nobody provides a feature: not installed, or installed without a word of it."""
    from importlib import metadata

    distribution = KNOWN[name].distribution
    damaged = f"; unreadable entry points: {', '.join(unreadable)}" if unreadable else ""
    try:
        version = metadata.version(distribution)
    except Exception:  # not found, or no readable metadata, which comes to the same
        return f"{distribution} is not installed{damaged}", f"Install it: pip install {_extra(name)}"
    reason = f"{distribution} {version} is installed, but its entry point is missing or unreadable{damaged}"
    return reason, _reinstall(distribution, name)


def _mend(error: BaseException, target: str, reinstall: str, name: str) -> str:
    """Choose the remedy for a failed import: install what is missing, or the whole again."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing is None or missing.partition(".")[0] == target.partition(".")[0]:
        return reinstall
    return f"Install what is missing ({missing}): pip install {_extra(name)}"


def _reinstall(distribution: str, name: str) -> str:
    what = _extra(name) if _canonical(distribution) == KNOWN[name].distribution else distribution
    return f"Reinstall it: pip install --force-reinstall {what}"


def _extra(name: str) -> str:
    return f'"backburner[{name}]"'  # quoted: zsh takes bare brackets for a pattern


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")


def _canonical(distribution: str) -> str:
    return distribution.lower().replace("_", "-").replace(".", "-")


def _folder(distribution: Distribution) -> str:
    return str(getattr(getattr(distribution, "_path", None), "name", ""))
