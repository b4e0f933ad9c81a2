"""Pool of immediates: equal values share a register, and different values fill up each other's free channels."""

from __future__ import annotations

import struct
from typing import Literal

from tgsi.language.builder.registers import Register
from tgsi.language.facts.enums import CHANNELS, File, ImmediateType
from tgsi.language.ir import Immediate

Kind = Literal["float", "int", "uint"]
_KINDS = {"float": ImmediateType.FLT32, "int": ImmediateType.INT32, "uint": ImmediateType.UINT32}
_SEARCHED = 64
"""Most recent immediates that are searched for a free channel: a bound, so that many distinct values cost linear time."""


class ImmediatePool:
    """The immediates of a program that is being built."""

    def __init__(self) -> None:
        self._entries: list[tuple[ImmediateType, list[int]]] = []
        self._known: dict[tuple[ImmediateType, tuple[int, ...]], Register] = {}
        self._whole: dict[tuple[ImmediateType, tuple[int, ...]], int] = {}

    def immediates(self) -> tuple[Immediate, ...]:
        """All immediates of the pool, free channels filled with 0."""
        return tuple(Immediate(kind, (*words, 0, 0, 0, 0)[:4]) for kind, words in self._entries)  # type: ignore[arg-type]

    def of_words(self, kind: ImmediateType, words: tuple[int, int, int, int]) -> Register:
        """A register with exactly these four words."""
        number = self._whole.get((kind, words))
        if number is None:
            number = self._whole[kind, words] = len(self._entries)
            self._entries.append((kind, list(words)))
        return Register(File.IMM, number)

    def of_values(self, values: tuple[float, ...], kind: Kind) -> Register:
        """Register swizzled to these values, the last one repeated. ValueError unless there are 1 to 4, TypeError for a wrong number."""
        if not 1 <= len(values) <= 4:
            raise ValueError(f"an immediate has 1 to 4 values, not {len(values)}")
        type, words = _KINDS[kind], tuple(_word(value, kind) for value in values)
        if (type, words) in self._known:
            return self._known[type, words]
        for place in range(max(0, len(self._entries) - _SEARCHED), len(self._entries)):
            entry, have = self._entries[place]
            more = [word for word in dict.fromkeys(words) if word not in have]
            if entry is type and len(have) + len(more) <= 4:
                have += more
                break
        else:
            place, have = len(self._entries), list(dict.fromkeys(words))
            self._entries.append((type, have))
        register = Register(File.IMM, place, letters="".join(CHANNELS[have.index(word)] for word in words))
        self._known[type, words] = register
        return register


def _word(value: float, kind: Kind) -> int:
    if kind == "float":
        try:
            return int(struct.unpack("<I", struct.pack("<f", value))[0])
        except OverflowError:
            return 0x7F800000 if value > 0 else 0xFF800000
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is not an integer; write it as a register or immediate of its own")
    return value & 0xFFFFFFFF
