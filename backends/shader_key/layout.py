"""Bindings, descriptor sets and names of one output: from a key, or the language's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from backends.shader_key.key import ShaderKey

_NO_NUMBERS: Mapping[str, int] = MappingProxyType({})
_NO_WORDS: Mapping[str, str] = MappingProxyType({})


class Layout:
    """Answers of a key to the questions of a writer. Two resources with one binding, and two variables with one name, are refused.

    key: the key, or None for output that depends on the program only; its module is then not loaded. caller: the public function, for
    messages. has_sets: the language has descriptor sets, within which all resources share their bindings; otherwise each file has its own
    bindings.
    """

    def __init__(self, key: ShaderKey | None = None, *, caller: str = "", has_sets: bool = False) -> None:
        self.bindings: Mapping[str, int | None] = _NO_NUMBERS if key is None else key.bindings
        self.names = _NO_WORDS if key is None else key.names
        self.qualifiers = _NO_WORDS if key is None else key.qualifiers
        self.prefix = "" if key is None else key.prefix
        self._sets = _NO_NUMBERS if key is None else key.sets
        self._caller = caller
        self._has_sets = has_sets
        self._taken: dict[tuple[str | int, int], str] = {}
        if self._sets and not has_sets:
            self.refuse("sets: GLSL for OpenGL has no descriptor sets; leave the field out, or write SPIR-V")

    def refuse(self, text: str) -> NoReturn:
        """Raise the error about a field of the key."""
        raise ValueError(f"{self._caller}: state: {text}")

    def binding(self, file: str, number: int, default: int, group: int = 0) -> int | None:
        """The binding of a register, or `default` if the key has none; None leaves the qualifier out.

        file, number: the register. group: its descriptor set; counters have no set, and their own group.
        """
        register = f"{file}[{number}]"
        bindings = self.bindings
        place: int | None = default
        if register in bindings:
            place = bindings[register]
        elif file in bindings and (first := int(file == "CONST")) <= number:
            base = bindings[file]
            place = None if base is None else base + number - first
        if place is None:
            if self._has_sets:
                self.refuse(f"bindings: {register}: each resource of SPIR-V has a binding; give a number instead of None")
            return None
        other = self._taken.setdefault((group if self._has_sets else file, place), register)
        if other != register:
            where = f" of set {group}" if self._has_sets else ""
            self.refuse(f"bindings: {other} and {register} both have binding {place}{where}; give one of them another number")
        return place

    def is_bound(self, register: str) -> bool:
        """Return true if the key has a binding for exactly this register."""
        return self.bindings.get(register) is not None

    def group(self, file: str, number: int, default: int) -> int:
        """The descriptor set of a register."""
        return self._sets.get(f"{file}[{number}]", self._sets.get(file, default))

    def name(self, *registers: str) -> str | None:
        """The name that the key has for the first of several texts of a register; None if it has none."""
        return next((self.names[text] for text in registers if text in self.names), None)
