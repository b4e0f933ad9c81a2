"""`record` makes what `dataclasses.dataclass` makes, and compiles a method when it is first needed."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import KW_ONLY, FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import pytest

from tgsi.language.record import FEW, record


@record
class Point:
    """A point."""

    x: int
    _: KW_ONLY
    y: int = 0
    tags: list[str] = field(default_factory=list, compare=False)
    secret: str = field(default="s", repr=False)


@dataclass(frozen=True, slots=True)
class Model:
    """The same point, made by the standard library."""

    x: int
    _: KW_ONLY
    y: int = 0
    tags: list[str] = field(default_factory=list, compare=False)
    secret: str = field(default="s", repr=False)


@record
class Farther(Point):
    """A derived record."""

    z: int = 5


@record(frozen=False)
class Open:
    """A record that changes."""

    x: int
    double: int = field(init=False)
    two: int = field(init=False, default=2, repr=False)
    seen: list[int] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.double = self.two * self.x


@record(slots=False)
class Cached:
    """A record with a `__dict__`."""

    x: int

    @cached_property
    def double(self) -> int:
        return 2 * self.x


@record(eq=False)
class Single:
    """A record that equals only itself."""

    x: int


@record
class Own:  # noqa: PLW1641
    """A record with methods of its own."""

    x: int

    def __repr__(self) -> str:
        return "mine"

    def __eq__(self, other: object) -> bool:
        return True


METHODS = ("__init__", "__repr__", "__eq__", "__hash__")


def fresh() -> Any:
    """A record that nothing has used."""

    @record
    class Fresh:
        """A record with every kind of field."""

        x: int
        w: int = 4
        _: KW_ONLY
        y: int
        tags: list[str] = field(default_factory=list)
        double: int = field(init=False)
        two: int = field(init=False, default=2)

        def __post_init__(self) -> None:
            object.__setattr__(self, "double", self.two * self.x)

    return Fresh


def test_methods_are_compiled_when_they_are_used_often() -> None:
    made = fresh()
    objects = [made(1, y=2) for _ in range(FEW)]
    assert [inspect.isfunction(vars(made)[name]) for name in METHODS] == [False] * 4
    objects.append(made(1, y=2))
    assert [inspect.isfunction(vars(made)[name]) for name in METHODS] == [True, False, False, False]
    for compiled in (False,) * FEW + (True,):
        assert "Fresh(x=1, " in repr(objects[0])
        assert objects[0] == objects[1]
        with pytest.raises(TypeError, match="unhashable type: 'list'"):
            hash(objects[0])
        assert [inspect.isfunction(vars(made)[name]) for name in METHODS] == [True, compiled, compiled, compiled]


@pytest.mark.parametrize("uses", [1, FEW + 1])
def test_the_repr_of_an_object_in_itself_ends(uses: int) -> None:
    made, held = fresh(), list[Any]()
    one = made(1, y=2, tags=held)
    held.append(one)
    assert {repr(one) for _ in range(uses)} == {f"{made.__qualname__}(x=1, w=4, y=2, tags=[...], double=2, two=2)"}


def test_the_first_comparisons_and_hashes_of_a_class_are_as_later_ones() -> None:
    @record
    class Key:
        """A record with a field that is not compared, and one that is not hashed."""

        x: int
        y: float = field(default=0.0, hash=False)
        z: int = field(default=0, compare=False)

    nan = float("nan")
    values: Any = (3, 1.5, 7)
    for _ in range(FEW + 2):
        one = Key(3, 1.5, 7)
        assert (one == Key(3, 1.5, 8), one == Key(3, 2.5, 7), one == Key(4, 1.5, 7)) == (True, False, False)
        assert (one == values, Key(1, nan) == Key(1, nan), Key(1, nan) == Key(1, float("nan"))) == (False, True, False)
        assert hash(one) == hash(Key(3, 2.5, 8)) == hash((3,))


@pytest.mark.parametrize(("positional", "named"), [((3,), {"y": 5}), ((3, 6), {"y": 5, "tags": ["t"]}), ((), {"y": 5, "w": 1, "x": 7})])
def test_the_first_objects_of_a_class_are_as_later_ones(positional: tuple[int, ...], named: dict[str, Any]) -> None:
    made = fresh()
    objects = [made(*positional, **named) for _ in range(FEW + 2)]
    assert len({repr(each) for each in objects}) == 1
    assert all(each == objects[-1] for each in objects)
    assert objects[0].double == 2 * objects[0].x
    assert ("tags" in named) == (objects[0].tags is objects[1].tags)


@pytest.mark.parametrize(
    ("positional", "named", "message"),
    [
        ((), {"y": 1}, "missing 1 required positional argument: 'x'"),
        ((1,), {}, "missing 1 required keyword-only argument: 'y'"),
        ((1, 2, 3), {"y": 1}, "takes from 2 to 3 positional arguments but 4 positional arguments"),
        ((1,), {"x": 1, "y": 1}, "got multiple values for argument 'x'"),
        ((1,), {"y": 1, "q": 2}, "got an unexpected keyword argument 'q'"),
        ((1,), {"y": 1, "two": 2}, "got an unexpected keyword argument 'two'"),
    ],
)
def test_wrong_arguments_of_the_first_object_are_explained(positional: tuple[int, ...], named: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=rf"Fresh\.__init__\(\) {message}"):
        fresh()(*positional, **named)


def test_a_default_that_objects_would_share_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Shared\.tags: all objects would share the default \[\]"):

        @record
        class Shared:
            """A record with a list as default."""

            tags: list[str] = []


@pytest.mark.parametrize("y", [0, 7])
def test_records_behave_as_dataclasses(y: int) -> None:
    ours: Any = Point(3, y=y, tags=["t"])
    model: Any = Model(3, y=y, tags=["t"])
    assert repr(ours) == repr(model).replace("Model", "Point") == f"Point(x=3, y={y}, tags=['t'])"
    assert hash(ours) == hash(model)
    assert (ours == Point(3, y=y), ours == Point(4, y=y), ours == model) == (True, False, False)
    assert [(f.name, f.kw_only) for f in fields(ours)] == [(f.name, f.kw_only) for f in fields(model)]
    assert is_dataclass(Point)
    assert type(ours).__match_args__ == type(model).__match_args__ == ("x",)
    assert str(inspect.signature(Point)) == str(inspect.signature(Model))


def test_defaults_of_factories_are_not_shared() -> None:
    assert Point(1).tags is not Point(1).tags
    assert Open(1).seen is not Open(1).seen


def test_a_call_with_wrong_arguments_names_the_class() -> None:
    wrong: Any = Point
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) missing 1 required positional argument: 'x'"):
        wrong()
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) got an unexpected keyword argument 'q'"):
        wrong(1, q=2)


@pytest.mark.parametrize("made", [Point(1), Cached(1)])
def test_frozen_records_refuse_changes(made: Any) -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        made.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del made.x
    assert made.x == 1


def test_records_that_change_have_no_hash() -> None:
    made = Open(4)
    made.x = 5
    assert (made.x, made.double) == (5, 8)
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)


def test_records_without_equality_compare_by_identity() -> None:
    made = Single(1)
    assert made == made
    assert made != Single(1)
    assert len({made, Single(1)}) == 2


def test_methods_of_the_class_itself_stay() -> None:
    assert repr(Own(1)) == "mine"
    assert Own(1) == Own(2)
    assert hash(Own(1)) == hash((1,))  # as the standard library has it


def test_a_derived_record_has_the_fields_of_both() -> None:
    made = Farther(1, y=2, z=3)
    assert repr(made) == "Farther(x=1, y=2, tags=[], z=3)"
    assert made != Point(1, y=2)
    assert replace(made, y=4) == Farther(1, y=4, z=3)


@pytest.mark.parametrize("made", [Point(1, y=2, tags=["t"]), Farther(1, z=3), Open(3), Cached(3)])
def test_records_can_be_copied_and_pickled(made: object) -> None:
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other is not made
        assert other == made
        assert repr(other) == repr(made)


def test_cached_properties_need_no_slots() -> None:
    made = Cached(2)
    assert (made.double, vars(made)) == (4, {"x": 2, "double": 4})
    assert not hasattr(Point(1), "__dict__")


def test_a_record_that_contains_itself_has_a_repr() -> None:
    made = Open(1)
    made.seen.append(made)  # type: ignore[arg-type]
    assert repr(made) == "Open(x=1, double=2, seen=[...])"
