"""Recursion without Python's stack: generators that yield the generators they call."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Steps: TypeAlias = Generator[Any, Any, T]
"""A call under way that returns a T. It yields each of its calls, and receives the call's result."""


def run(call: Steps[T]) -> T:
    """Return the result of a call. Calls may nest as deep as memory allows."""
    stack: list[Steps[Any]] = [call]
    value: Any = None
    while stack:
        try:
            inner = stack[-1].send(value)
        except StopIteration as end:
            stack.pop()
            value = end.value
        else:
            stack.append(inner)
            value = None
    result: T = value
    return result
