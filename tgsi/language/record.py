"""Dataclasses that cost little before they are used: a draw loads about 150 of them and makes objects of a third.

`dataclasses.dataclass` compiles up to seven methods of each class with `exec` while its module is imported, about 1.2 ms a class. A class
made by `record` has the same fields and the same methods, and each method is compiled when it is first needed. `fields`, `replace`
and patterns of `match` work as for every dataclass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, replace
from functools import cache, partial
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")
Write = Callable[[type, bool], Callable[..., Any]]


@overload
def record(cls: type[T], /) -> type[T]: ...


@overload
def record(
    *, frozen: bool = ..., eq: bool = ..., kw_only: bool = ..., slots: bool = ..., weakref: bool = ...
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(
    cls: type[T] | None = None,
    /,
    *,
    frozen: bool = True,
    eq: bool = True,
    kw_only: bool = False,
    slots: bool = True,
    weakref: bool = False,
) -> Any:
    """Make a dataclass of a class with annotated fields. The options are those of `dataclasses.dataclass`, with other defaults.

    frozen: objects refuse changes. eq: objects with equal fields are equal, and frozen ones have a hash; otherwise identity counts.
    kw_only: the constructor takes every field by keyword; a class may also have a `KW_ONLY` field. slots: objects have no `__dict__`,
    which `functools.cached_property` needs. weakref: weak references may name objects with slots.
    """
    options = frozen, eq, kw_only, slots, weakref
    return _made(cls, *options) if cls is not None else lambda named: _made(named, *options)


def _made(cls: type[T], frozen: bool, eq: bool, kw_only: bool, slots: bool, weakref: bool) -> type[T]:
    made: Any = _with_fields(cls, kw_only, slots, weakref)
    own = vars(cls)
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


@dataclass(init=False, repr=False, eq=False)
class _Model:
    """A class made by the standard library: its markers make `fields` and `replace` accept records as dataclasses."""

    x: int


_MARK: Any = _Model.__dataclass_fields__["x"]._field_type  # type: ignore[attr-defined]


def _with_fields(cls: Any, kw_only: bool, slots: bool, weakref: bool) -> Any:
    """The class with its fields in place, and slots for them if `slots` is set. It has no methods so far.

    `dataclasses.dataclass` reads each annotation with regular expressions, and takes ten times as long."""
    collected: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        collected |= getattr(base, "__dataclass_fields__", {})
    for name, kind in cls.__annotations__.items():
        if kind == "KW_ONLY":
            kw_only = True
        elif not kind.startswith("ClassVar["):
            collected[name] = _field_of(cls, name, kind, kw_only)
    content = dict(vars(cls)) if slots else {}
    for name, item in collected.items():
        if slots:
            content.pop(name, None)
        elif item.default is not MISSING:
            setattr(cls, name, item.default)
        elif isinstance(vars(cls).get(name), Field):
            delattr(cls, name)
    if slots:
        inherited = {name for base in cls.__mro__ for name in vars(base).get("__slots__", ())}
        content["__slots__"] = (*(name for name in collected if name not in inherited), *["__weakref__"] * weakref)
        content.pop("__dict__", None)
        content.pop("__weakref__", None)
        qualified = cls.__qualname__
        cls = type(cls)(cls.__name__, cls.__bases__, content)
        cls.__qualname__ = qualified
    cls.__dataclass_fields__, cls.__dataclass_params__ = collected, _Model.__dataclass_params__  # type: ignore[attr-defined]
    cls.__match_args__ = tuple(item.name for item in collected.values() if item.init and not item.kw_only)  # type: ignore[misc]
    cls.__replace__ = replace  # for `copy.replace`, from Python 3.13 on
    return cls


def _field_of(cls: type, name: str, kind: str, kw_only: bool) -> Field[Any]:
    """The field that a class declares with an annotation and perhaps a default. ValueError for a default that objects would share."""
    default: Any = vars(cls).get(name, MISSING)
    item: Any = default if isinstance(default, Field) else field(default=default)
    item.name, item.type, item._field_type = name, kind, _MARK
    if item.kw_only is MISSING:
        item.kw_only = kw_only
    if type(item.default).__hash__ is None:
        raise ValueError(f"{cls.__qualname__}.{name}: all objects would share the default {item.default!r}; use field(default_factory=...)")
    return item  # type: ignore[no-any-return]


FEW = 48
"""Uses of a method before it is compiled, which takes as long as fifty of them: of most records a draw makes few."""


class _Unwritten:
    """A method of a record that is not compiled so far: it is after `FEW` uses, which take longer. Then it replaces this descriptor.

    facts: what the function of `_SLOW` needs, made at its first call.
    """

    __slots__ = ("_calls", "_name", "_write", "facts", "frozen", "owner")

    def __init__(self, name: str, owner: type, write: Write, frozen: bool) -> None:
        self._name, self.owner, self._write, self.frozen, self._calls = name, owner, write, frozen, 0
        self.facts: Any = None

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is not None and self._calls < FEW:
            self._calls += 1
            if self.facts is None:
                self.facts = _FACTS[self._name](self.owner)
            return partial(_SLOW[self._name], self, instance)
        return self.compiled().__get__(instance, owner)

    def compiled(self) -> Any:
        """The compiled method, which replaces this descriptor."""
        method: Any = self._write(self.owner, self.frozen)
        method.__qualname__ = f"{self.owner.__qualname__}.{self._name}"  # calls with wrong arguments quote it
        setattr(self.owner, self._name, method)
        return method


class _Plan:
    """Fields of a record as its constructor sees them: names of arguments, those that must be given, and what stands for others."""

    __slots__ = ("defaults", "factories", "is_finished", "names", "needed", "positional")

    def __init__(self, owner: type) -> None:
        items = fields(owner)
        taken = [item for item in items if item.init]
        self.names = {item.name for item in taken}
        self.positional = [item.name for item in taken if not item.kw_only]
        self.defaults = {item.name: item.default for item in items if item.default is not MISSING}
        self.factories = {item.name: item.default_factory for item in items if item.default_factory is not MISSING}
        self.needed = self.names - self.defaults.keys() - self.factories.keys()
        self.is_finished = not hasattr(owner, "__post_init__")


def _construct(constructor: _Unwritten, made: Any, /, *args: Any, **named: Any) -> None:
    """Initialize an object without a compiled constructor. Calls with wrong arguments go to the compiled one, which explains them."""
    plan: _Plan = constructor.facts
    values = dict(zip(plan.positional, args))
    is_wrong = len(args) > len(plan.positional) or not (values.keys().isdisjoint(named) and plan.names.issuperset(named))
    values |= named
    if is_wrong or not plan.needed <= values.keys():
        constructor.compiled()(made, *args, **named)
        return
    values |= {name: value for name, value in plan.defaults.items() if name not in values}
    for name, factory in plan.factories.items():
        if name not in values:
            values[name] = factory()
    store = object.__setattr__ if constructor.frozen else setattr
    for name, value in values.items():
        store(made, name, value)
    if not plan.is_finished:
        made.__post_init__()


def _shown(owner: type) -> list[str]:
    return [item.name for item in fields(owner) if item.repr]


def _compared(owner: type) -> list[str]:
    return [item.name for item in fields(owner) if item.compare]


def _hashed(owner: type) -> list[str]:
    return [item.name for item in fields(owner) if (item.compare if item.hash is None else item.hash)]


def _shower(owner: type) -> Callable[[Any], str]:
    names = _shown(owner)

    def show(one: Any) -> str:
        return f"{type(one).__qualname__}({', '.join([f'{name}={getattr(one, name)!r}' for name in names])})"

    return recursive_repr()(show)


def _repr(method: _Unwritten, one: Any) -> str:
    text: str = method.facts(one)
    return text


def _compare(method: _Unwritten, one: Any, other: object) -> object:
    return _values(one, method.facts) == _values(other, method.facts) if type(other) is type(one) else NotImplemented


def _hash(method: _Unwritten, one: Any) -> int:
    return hash(_values(one, method.facts))


def _values(one: Any, names: list[str]) -> tuple[object, ...]:
    return tuple([getattr(one, name) for name in names])


_SLOW: Mapping[str, Callable[..., Any]] = {"__init__": _construct, "__repr__": _repr, "__eq__": _compare, "__hash__": _hash}
"""Functions that do the same without a compiled method."""
_FACTS: Mapping[str, Callable[[type], Any]] = {"__init__": _Plan, "__repr__": _shower, "__eq__": _compared, "__hash__": _hashed}


class _Absent:
    """The argument of a parameter whose value a factory makes."""

    def __repr__(self) -> str:
        return "<factory>"


_ABSENT = _Absent()


@cache
def open_twin(cls: type) -> Any:
    """Return a class with the slots of a frozen record. Its objects take assignments, until ``__class__`` is assigned the record.

    Code that copies records often makes them so, in a fifth of the time of their constructor.
    """
    return type(cls.__name__, (), {"__slots__": vars(cls)["__slots__"]})


MANY = 4
"""Slots of a frozen record from which on its constructor makes the object an open twin meanwhile, whose slots plain assignments fill."""


def _write_init(made: type, frozen: bool) -> Callable[..., None]:
    """The constructor. It sets slots of frozen objects through their descriptors, in half the time of `object.__setattr__`.

    A change of class takes the time of a few descriptors, so that a record with many slots is made twice as fast by two of them.
    """
    scope: dict[str, Any] = {"_absent": _ABSENT}
    parameters: list[str] = ["self"]
    body: list[str] = []
    slots: tuple[str, ...] = vars(made).get("__slots__", ())
    has_twin = frozen and len(slots) >= MANY and "__weakref__" not in slots and made.__bases__ == (object,)
    if has_twin:
        scope |= {"_set_class": vars(object)["__class__"].__set__, "_frozen": made, "_twin": open_twin(made)}
        body.append("_set_class(self, _twin)")
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
        if not frozen or has_twin:
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
    if has_twin:
        body.append("self.__class__ = _frozen")
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
    shown = ", ".join(f"{name}={{self.{name}!r}}" for name in _shown(made))
    method = _compile("def method(self):", [f'return f"{{type(self).__qualname__}}({shown})"'], {})
    return recursive_repr()(method)


def _write_eq(made: type, _frozen: bool) -> Callable[..., bool]:
    ours, theirs = (" ".join(f"{owner}.{name}," for name in _compared(made)) for owner in ("self", "other"))
    return _compile("def method(self, other):", [f"return ({ours}) == ({theirs}) if type(other) is type(self) else NotImplemented"], {})


def _write_hash(made: type, _frozen: bool) -> Callable[..., int]:
    return _compile("def method(self):", [f"return hash(({' '.join(f'self.{name},' for name in _hashed(made))}))"], {})


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
