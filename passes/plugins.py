"""Passes of users: registered by a call or decorator, or found as entry points of installed packages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from inspect import isabstract
from typing import Any, ClassVar, TypeVar, get_origin, overload

from passes.base import Pass
from tgsi.language.record import record

P = TypeVar("P", bound=type[Pass])

GROUP = "tgsi.passes"
"""The group of entry points. The name of one is the name of its pass; its object is a class, or a module that registers passes."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_TYPES = ("bool", "int", "float", "str")

registered: dict[str, type[Pass]] = {}
"""The passes of users by name."""

failures: dict[str, Exception] = {}
"""Entry points that could not be loaded, by name."""

_reserved: set[str] = set()
"""Names of our own passes, which `registry` states."""

_state: dict[str, int] = {"generation": 0, "loaded": 0}


@overload
def register(cls: P, /) -> P: ...


@overload
def register(cls: None = None, /, *, name: str = "", replace: bool = False) -> Callable[[P], P]: ...


def register(cls: Any = None, /, *, name: str = "", replace: bool = False) -> Any:
    """Register a pass by name, for pipelines, `tgsi.optimize`, ``tgsi-compile --passes`` and ``--list-passes``.

    A decorator, with or without arguments, and a function of a class:

        @tgsi.passes.register
        class DropNops(tgsi.passes.Rewriter):
            '''Remove NOP instructions.'''

            def instruction(self, item):
                return None if item.opcode.name == "NOP" else item

    Annotated attributes with defaults are options of the types bool, int, float and str: ``limit: int = 4`` is set by
    ``drop-nops{limit=8}``. The first line of the docstring is the summary.

    Args:
        cls: the class, derived from `Pass` or `Rewriter`.
        name: lower-case words joined by hyphens; by default the attribute `name` of the class, or the words of the class's name.
            A name that begins with ``lower-`` says that the pass changes results.
        replace: take the place of another registered pass of this name.

    Raises:
        TypeError: the class is not a pass that can be made without arguments, or an option has no default or another type.
        ValueError: the name is malformed or taken, or there is no docstring.
    """
    if cls is None:
        return lambda named: register_as(named, name, replace)
    return register_as(cls, name, replace)


def register_as(cls: Any, name: str, replace: bool) -> Any:
    """Register a class; see `register`."""
    if not (isinstance(cls, type) and issubclass(cls, Pass)):
        raise TypeError(f"register takes a class derived from tgsi.passes.Pass or Rewriter, not {cls!r}")
    if isabstract(cls):
        raise TypeError(f"{cls.__qualname__} has no method {', '.join(sorted(cls.__abstractmethods__))}")
    name = name or vars(cls).get("name", "") or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
    if not _NAME.fullmatch(name):
        raise ValueError(f"a pass is named by lower-case words joined by hyphens, as `drop-nops`, not {name!r}")
    if not (cls.__doc__ or "").strip() or "__doc__" not in vars(cls):
        raise ValueError(f"pass {name}: {cls.__qualname__} needs a docstring, whose first line --list-passes shows")
    _check_free(name, cls, replace)
    pass_class = cls if "__dataclass_fields__" in vars(cls) else _with_options(cls, name)
    for option, default in pass_class.options().items():
        if type(default).__name__ not in _TYPES:
            raise TypeError(f"pass {name}: option {option} needs a default of the type {', '.join(_TYPES)}")
    pass_class.name = name
    registered[name] = pass_class
    _state["generation"] += 1
    return pass_class


def _check_free(name: str, cls: type[Pass], replace: bool) -> None:
    if name in _reserved:
        raise ValueError(f"there is a pass {name} of tgsi itself: choose another name")
    other = registered.get(name)
    is_again = other is not None and (other.__module__, other.__qualname__) == (cls.__module__, cls.__qualname__)
    if other is not None and not replace and not is_again:
        raise ValueError(
            f"pass {name} is registered by {other.__module__}.{other.__qualname__} already: choose another name, or replace=True"
        )


def _with_options(cls: type[Pass], name: str) -> type[Pass]:
    """The class as a record of its annotated attributes."""
    kinds = vars(cls).get("__annotations__", {})
    words = {key: kind if isinstance(kind, str) else _spelled(kind) for key, kind in kinds.items()}
    missing = [key for key, kind in words.items() if not kind.startswith(("ClassVar[", "typing.ClassVar[")) and key not in vars(cls)]
    if missing:
        raise TypeError(f"pass {name}: option {missing[0]} needs a default of the type {', '.join(_TYPES)}")
    cls.__annotations__ = {key: kind.removeprefix("typing.") for key, kind in words.items()}
    return record(slots=False)(cls)


def _spelled(kind: Any) -> str:
    return "ClassVar[object]" if kind is ClassVar or get_origin(kind) is ClassVar else getattr(kind, "__name__", str(kind))


def reserve(names: Iterable[str]) -> None:
    """Keep names from being registered."""
    _reserved.update(names)


def unregister(name: str) -> None:
    """Forget a registered pass. ValueError: no pass has this name."""
    if registered.pop(name, None) is None:
        raise ValueError(f"no pass {name} is registered")
    _state["generation"] += 1


def generation() -> int:
    """Return a number that changes whenever a pass is registered or forgotten."""
    return _state["generation"]


def load() -> None:
    """Load the passes of installed packages, once. Errors of passes that cannot be loaded are in `failures`."""
    if _state["loaded"]:
        return
    _state["loaded"] = 1
    from importlib.metadata import entry_points

    for item in sorted(entry_points(group=GROUP), key=lambda item: item.name):
        try:
            loaded = item.load()
            if isinstance(loaded, type):
                if registered.get(item.name) is not loaded:
                    register_as(loaded, item.name, False)
            elif not hasattr(loaded, "__path__") and not hasattr(loaded, "__file__"):
                raise TypeError(f"{item.value} is neither a class derived from tgsi.passes.Pass nor a module")
        except Exception as error:  # of another's code: anything
            failures[item.name] = error


def failure(name: str) -> str:
    """Return the reason for which an installed pass cannot be loaded, or an empty string."""
    error = failures.get(name)
    return "" if error is None else f"the installed pass `{name}` cannot be loaded: {type(error).__name__}: {error}"


def reset() -> None:
    """Forget all passes of users and look for installed ones again, for tests."""
    registered.clear()
    failures.clear()
    _state["loaded"] = 0
    _state["generation"] += 1
