"""Notes about the uniforms that a program of OpenGL asks for and sets: misspelled names, and locations that went to another program."""

from __future__ import annotations

import ctypes
import weakref
from collections import deque
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from tgsi.opengl.watching.callers import shown
from tgsi.validation.findings import Finding
from tgsi.validation.warning import Place

if TYPE_CHECKING:
    from tgsi.opengl.context import Context
    from tgsi.opengl.objects.linked import Linked

_RECENT = 64
"""Locations that are remembered with the program that was asked for them."""


class UniformNotes:
    """Names of uniforms that were set or asked for, by linked program."""

    def __init__(self) -> None:
        self._given: weakref.WeakKeyDictionary[Linked, set[str]] = weakref.WeakKeyDictionary()
        self._unknown: list[tuple[Linked, str, str, Place]] = []  # uniforms that are not there, the one that may be meant, the call
        self._missing: weakref.WeakKeyDictionary[Linked, set[str]] = weakref.WeakKeyDictionary()  # names without a location
        self._asked: deque[tuple[Any, str, int]] = deque(maxlen=_RECENT)  # programs, names and locations of glGetUniformLocation
        self._strays: weakref.WeakKeyDictionary[Linked, dict[str, str]] = weakref.WeakKeyDictionary()  # reasons by name
        self._names: weakref.WeakKeyDictionary[Linked, int] = weakref.WeakKeyDictionary()  # of programs

    def given(self, linked: Linked | None) -> set[str]:
        """Names of the uniforms that were set."""
        return set() if linked is None else self._given.get(linked, set())

    def ask(self, gl: Context, values: tuple[Any, ...]) -> None:
        """Note a call of glGetUniformLocation."""
        program, raw = values
        linked = getattr(gl.share.programs.get(program), "linked", None)
        if linked is None or not raw:
            return
        self._names[linked] = program
        name = ctypes.string_at(raw).decode("utf-8", "replace")
        if linked.find(name) is None:
            self._missing.setdefault(linked, set()).add(name)
            return
        found = next((number for number, (item, k) in linked.locations.items() if k == 0 and item.name.removesuffix("[0]") == name), None)
        if found is not None:
            self._asked.append((weakref.ref(linked), name, found))

    def put(self, gl: Context, call: str, values: tuple[Any, ...], place: Place) -> None:
        """Note a call of glUniform or glProgramUniform."""
        is_named = call.startswith("glProgram")
        program: Any = gl.share.programs.get(values[0]) if is_named else gl.uniform_program()
        linked = getattr(program, "linked", None)
        location = values[1] if is_named else values[0]
        if not is_named:
            self._note_stray(linked, getattr(program, "name", 0), location, place)
        if linked is None:
            return
        self._names[linked] = program.name
        if location in linked.locations:
            self._given.setdefault(linked, set()).add(linked.locations[location][0].name.removesuffix("[0]"))
            self._given[linked].add(linked.locations[location][0].name)
        elif location == -1:
            names = [item.name.removesuffix("[0]") for item in linked.uniforms if item.location >= 0]
            for name in self._missing.pop(linked, ()):
                for other in get_close_matches(name, names, 1, 0.75):
                    self._unknown.append((linked, name, other, place))

    def _note_stray(self, linked: Linked | None, number: int, location: int, place: Place) -> None:
        """Note a location that other programs than the one in use were asked for. It matters if their uniform is never set."""
        for ref, name, found in self._asked:
            other = ref()
            if found == location and other is not None and other is not linked:
                used = f"while program {number} was in use" if number else "while no program was in use"
                text = f"{place.call} at {shown(place)} was called {used}: glUseProgram({self._names.get(other, 0)}) before it"
                self._strays.setdefault(other, {})[name] = text

    def hint(self, linked: Linked, name: str) -> str:
        """The reason why a uniform was never set; empty if none is known."""
        stray = self._strays.get(linked, {}).get(name)
        if stray is not None:
            return f"; {stray}"
        for other, names in self._given.items():
            if other is not linked and name in names and other.find(name) is not None:
                return f"; program {self._names.get(other, 0)} has a uniform of this name, too, and that one was set"
        return ""

    def misspelled(self, linked: Linked) -> Iterator[tuple[Finding, Place]]:
        """Uniforms that were set by a name that is nearly that of one which was never set; that one counts as set from then on."""
        given = self._given.setdefault(linked, set())
        for item in [item for item in self._unknown if item[0] is linked]:
            self._unknown.remove(item)
            _, name, other, place = item
            if other not in given:
                text = f"location -1 is ignored: the program has no uniform {name!r}; is {other!r} meant?"
                given.add(other)
                yield Finding("gl location", (linked.number, name), text), place
