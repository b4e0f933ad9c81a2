"""Dataclasses that cost little before they are used: a draw loads about 150 of them and makes objects of a third.

`dataclasses.dataclass` compiles up to seven methods of each class with `exec` while its module is imported, about 1.2 ms a class. A class
made by `record` has the same fields and the same methods, and each method is compiled when it is first looked up. `fields`, `replace`
and patterns of `match` work as for every dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
Write = Callable[[type, bool], Callable[..., Any]]


@overload
def record(cls: type[T], /) -> type[T]: ...


@overload
def record(*, frozen: bool = ..., eq: bool = ..., kw_only: bool = ..., slots: bool = ...) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T] | None = None, /, *, frozen: bool = True, eq: bool = True, kw_only: bool = False, slots: bool = True) -> Any:
    """Make a dataclass of a class with annotated fields. The options are those of `dataclasses.dataclass`, with other defaults.

    frozen: objects refuse changes. eq: objects with equal fields are equal, and frozen ones have a hash; otherwise identity counts.
    kw_only: the constructor takes every field by keyword; a class may also have a `KW_ONLY` field. slots: objects have no `__dict__`,
    which `functools.cached_property` needs.
    """
    return _made(cls, frozen, eq, kw_only, slots) if cls is not None else lambda named: _made(named, frozen, eq, kw_only, slots)


def _made(cls: type[T], frozen: bool, eq: bool, kw_only: bool, slots: bool) -> type[T]:
    own = vars(cls)
    made: Any = dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
    methods: dict[str, Write] = {"__init__": _write_init, "__repr__": _write_repr}
    if eq:
        methods |= {"__eq__": _write_eq, "__hash__": _write_hash} if frozen else {"__eq__": _write_eq}
        if not frozen and "__hash__" not in own:
            made.__hash__ = None
    for name, write in methods.items():
        if own.get(name) is None:  # Python sets `__hash__` to None in a class that defines `__eq__`
            setattr(made, name, _Unwritten(name, made, write, frozen))
    if frozen:
        made.__setattr__, made.__delattr__ = _refuse_setting, _refuse_deleting
        if slots and "__getstate__" not in own:
            made.__getstate__, made.__setstate__ = _state, _set_state
    return made  # type: ignore[no-any-return]


class _Unwritten:
    """A method of a record that nothing has used so far. The first look-up compiles it and puts it in the place of this descriptor."""

    __slots__ = ("_frozen", "_name", "_owner", "_write")

    def __init__(self, name: str, owner: type, write: Write, frozen: bool) -> None:
        self._name, self._owner, self._write, self._frozen = name, owner, write, frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        method: Any = self._write(self._owner, self._frozen)
        method.__qualname__ = f"{self._owner.__qualname__}.{self._name}"  # calls with wrong arguments quote it
        setattr(self._owner, self._name, method)
        return method.__get__(instance, owner)


class _Absent:
    """The argument of a parameter whose value a factory makes."""

    def __repr__(self) -> str:
        return "<factory>"


_ABSENT = _Absent()


def _write_init(made: type, frozen: bool) -> Callable[..., None]:
    """The constructor. It sets slots of frozen objects through their descriptors, in half the time of `object.__setattr__`."""
    scope: dict[str, Any] = {"_absent": _ABSENT}
    parameters: list[str] = ["self"]
    body: list[str] = []
    for item in fields(made):
        name, value = item.name, item.name
        if item.default is not MISSING:
            scope[f"_default_{name}"] = item.default
            value = name if item.init else f"_default_{name}"
        elif item.default_factory is not MISSING:
            scope[f"_factory_{name}"] = item.default_factory
            value = f"_factory_{name}() if {name} is _absent else {name}" if item.init else f"_factory_{name}()"
        elif not item.init:
            continue  # `__post_init__` sets it
        setter = getattr(getattr(made, name, None), "__set__", None)  # a slot
        if not frozen:
            body.append(f"self.{name} = {value}")
        elif setter is None:
            body.append(f"self.__dict__['{name}'] = {value}")
        else:
            scope[f"_set_{name}"] = setter
            body.append(f"_set_{name}(self, {value})")
    for item in sorted((item for item in fields(made) if item.init), key=lambda item: bool(item.kw_only)):
        if item.kw_only and "*" not in parameters:
            parameters.append("*")
        parameters.append(_parameter(item))
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    method = _compile(f"def method({', '.join(parameters)}):", body or ["pass"], scope)
    method.__annotations__ = {item.name: item.type for item in fields(made) if item.init} | {"return": None}
    return method


def _parameter(item: Field[Any]) -> str:
    if item.default is not MISSING:
        return f"{item.name}=_default_{item.name}"
    return f"{item.name}=_absent" if item.default_factory is not MISSING else item.name


def _write_repr(made: type, _frozen: bool) -> Callable[..., str]:
    shown = ", ".join(f"{item.name}={{self.{item.name}!r}}" for item in fields(made) if item.repr)
    method = _compile("def method(self):", [f'return f"{{type(self).__qualname__}}({shown})"'], {})
    return recursive_repr()(method)


def _compared(made: type, owner: str, chosen: Callable[[Field[Any]], bool]) -> str:
    names = [f"{owner}.{item.name}," for item in fields(made) if chosen(item)]
    return f"({' '.join(names)})"


def _write_eq(made: type, _frozen: bool) -> Callable[..., bool]:
    ours, theirs = (_compared(made, owner, lambda item: item.compare) for owner in ("self", "other"))
    return _compile("def method(self, other):", [f"return {ours} == {theirs} if type(other) is type(self) else NotImplemented"], {})


def _write_hash(made: type, _frozen: bool) -> Callable[..., int]:
    hashed = _compared(made, "self", lambda item: item.compare if item.hash is None else item.hash)
    return _compile("def method(self):", [f"return hash({hashed})"], {})


def _compile(head: str, body: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    exec("\n ".join([head, *body]), scope)
    method: Callable[..., Any] = scope["method"]
    return method


def _refuse_setting(self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, item.name) for item in fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for item, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, item.name, value)  # the object is frozen
