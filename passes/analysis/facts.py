"""Facts of a program, each computed once: `facts.of(program, maker)` is `maker(program)`, cached as long as the program lives.

A fact may depend on more than the program: `facts.of(vertex, link, fragment, state)` is `link(vertex, fragment, state)`. Further programs
are compared by identity and referred to weakly; all other arguments are compared by equality. The fact is cached with the first program, so
it must not refer to any other program.

Threads may call this at the same time: each may compute the fact, but all get the same object. If a maker raises, nothing is cached.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, TypeVarTuple

from tgsi.language.program import Program

T = TypeVar("T")
More = TypeVarTuple("More")

MAX_JOINT = 256
"""Capacity of a program's cache of facts with further arguments. A full cache is cleared, and facts are computed again on demand."""

_ATTRIBUTE = "_facts"


class _Facts:
    """The facts of one program."""

    def __init__(self) -> None:
        self.own: dict[Callable[..., object], Any] = {}
        self.joint: dict[tuple[Hashable, ...], tuple[tuple[weakref.ref[Program], ...], Any]] = {}

    def __reduce__(self) -> tuple[type[_Facts], tuple[()]]:
        """Pickle and copy without facts: the copied program computes its own."""
        return _Facts, ()


def keep(program: Program, maker: Callable[[Program], T], fact: T) -> None:
    """Cache the fact `maker(program)`, which the caller computed in another way."""
    facts: _Facts = program.__dict__.setdefault(_ATTRIBUTE, _Facts())
    facts.own.setdefault(maker, fact)


def known(program: Program, maker: Callable[[Program], T]) -> T | None:
    """Return the fact `maker(program)` if it was computed, otherwise None."""
    facts: _Facts | None = program.__dict__.get(_ATTRIBUTE)
    return facts.own.get(maker) if facts is not None else None


def of(program: Program, maker: Callable[[Program, *More], T], *more: *More) -> T:
    """Return the fact `maker(program, *more)`; see the module. Errors: those of `maker`."""
    # A Program is frozen, but derived values may be stored in its __dict__, as functools.cached_property does.
    facts: _Facts | None = program.__dict__.get(_ATTRIBUTE)
    if facts is None:
        facts = program.__dict__.setdefault(_ATTRIBUTE, _Facts())
    if not more:
        own: T
        try:  # every draw requests several cached facts
            own = facts.own[maker]
        except KeyError:
            own = facts.own.setdefault(maker, maker(program, *more))
        return own
    others = [item for item in more if isinstance(item, Program)]
    key = (maker, *[id(item) if isinstance(item, Program) else item for item in more])
    known = facts.joint.get(key)
    if known is None or [reference() for reference in known[0]] != others:
        entry = tuple(map(weakref.ref, others)), maker(program, *more)
        if len(facts.joint) >= MAX_JOINT:
            facts.joint.clear()
        if known is None:
            known = facts.joint.setdefault(key, entry)
        else:  # the `id` was that of a freed program
            facts.joint[key] = known = entry
    joint: T = known[1]
    return joint
