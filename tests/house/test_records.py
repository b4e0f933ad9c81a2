"""Records of many fields are built by keyword: two swapped numbers or bools look alike at a call, and mypy cannot tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, fields, is_dataclass, make_dataclass
from importlib import import_module
from inspect import isclass

from tests.house.imports import module_files

MOST = 6
"""Fields that a constructor may take by position."""


def positional_fields(made: type) -> int:
    """The number of fields that the constructor of a record takes by position; 0 for a class that is not a record."""
    if is_dataclass(made):
        return sum(item.init and not item.kw_only for item in fields(made))
    return len(getattr(made, "_fields", ())) if issubclass(made, tuple) else 0


def records() -> Iterator[tuple[str, int]]:
    """Dotted name of each class of the four packages, with its positional fields."""
    for name in module_files():
        for made in vars(import_module(name)).values():
            if isclass(made) and made.__module__ == name:
                yield f"{name}.{made.__qualname__}", positional_fields(made)


def test_no_constructor_takes_more_than_six_fields_by_position() -> None:
    assert {name for name, count in records() if count > MOST} == set()


def test_a_planted_record_is_counted() -> None:
    names = ["a", "b", "c", "d", "e", "f", "g"]
    assert positional_fields(make_dataclass("Wide", names)) == 7
    assert positional_fields(make_dataclass("Named", names, kw_only=True)) == 0

    @dataclass
    class Mixed:
        first: int
        _: KW_ONLY
        second: int = 0

    assert positional_fields(Mixed) == 1
    assert positional_fields(make_dataclass("Below", ["third"], bases=(Mixed,))) == 2
