"""Registers of the legacy dialect: registers of old files, and new ones for lowerings.

They have provisional numbers, beyond those that a text can use, until the end of the text, when free numbers are known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace

from tgsi.language.facts.enums import File
from tgsi.language.ir import Dimension, IndirectRef, RegisterRef
from tgsi.language.messages import Mistake
from tgsi.language.text.operands import OperandReader

_GAP = 1 << 16
IMMX, LITERAL, SCRATCH, COUNTERS, PREDICATES, LOOPS, TEMPX = (_GAP * place for place in (4, 6, 8, 10, 12, 14, 16))
"""First numbers of the registers of IMMX, of our literals, of temporaries of one instruction, of those that live longer, of PRED, of
LOOP, and of the arrays of TEMPX."""

MAX_INDEX = 32767
ARRAY = 1 << 12
"""Registers set aside for each array of TEMPX."""

PROVISIONAL = IMMX - _GAP // 2
"""Offsets are added to registers, so an operand may have a number that lies up to half a gap below."""


VIEW = re.compile(r"(?<![0-9A-Z_])RES[ \t\n]*\[", re.IGNORECASE | re.ASCII)
"""A sampler view in the syntax of 2011 and 2012: LOAD from it is SAMPLE_I today."""

AS_TEMP = {"PRED": PREDICATES, "LOOP": LOOPS}
"""Old files that are registers of TEMP today."""


class LegacyOperands(OperandReader):
    """Reader of operands for which IMMX, TEMPX, PRED and LOOP are registers with provisional numbers, and RES is SVIEW."""

    def register(self, file: str, index: str, array: str | None, inner: str | None, inner_array: str | None) -> RegisterRef:
        """A register, of the old files too."""
        name = file.upper()
        if name == "IMMX":
            register = super().register("IMM", index, array, inner, inner_array)
            return replace(register, index=register.index + IMMX)
        if name == "RES":
            return super().register("SVIEW", index, array, inner, inner_array)
        if name in AS_TEMP and inner is None:
            register = super().register("TEMP", index, array, inner, inner_array)
            return replace(register, index=register.index + AS_TEMP[name])
        if name != "TEMPX":
            return super().register(file, index, array, inner, inner_array)
        register = super().register("TEMP", index, array, inner, inner_array)
        if register.dimension is None or register.dimension.indirect is not None or register.dimension.index >= ARRAY:
            raise Mistake("P015", "TEMPX takes the number of an array and an index", file, "write `TEMPX[0][1]`")
        if abs(register.index) >= ARRAY // 2:
            raise Mistake("P026", f"an index of TEMPX is below {ARRAY // 2}", index if inner is None else inner)
        return replace(register, index=register.index + TEMPX + ARRAY * register.dimension.index, dimension=None)

    def relative(self, file: str, index: str, component: str | None, offset: str | None) -> tuple[IndirectRef, int]:
        """An index such as ``LOOP[0].x+3``, too."""
        name = file.upper()
        if name not in AS_TEMP:
            return super().relative(file, index, component, offset)
        ref, number = super().relative("TEMP", index, component, offset)
        return replace(ref, index=ref.index + AS_TEMP[name]), number

    def _number(self, text: str) -> int:
        number = super()._number(text)
        if abs(number) > MAX_INDEX:
            raise Mistake("P026", f"a register number is beyond {MAX_INDEX}", text)
        return number


class Places:
    """Final numbers: each provisional number in `bases` with the number that takes its place."""

    def __init__(self, bases: Mapping[int, int]) -> None:
        self._bases = sorted(bases.items())
        self._starts = [base - (ARRAY // 2 if base >= TEMPX else _GAP // 2) for base, _ in self._bases]

    def register(self, register: RegisterRef) -> RegisterRef:
        """A register with final numbers; the same object if they are final already."""
        indirect, dimension = register.indirect, register.dimension
        if register.index < PROVISIONAL and indirect is None and dimension is None:
            return register
        index = self._index(register.index)
        if indirect is not None:
            indirect = self._indirect(indirect)
        if dimension is not None and dimension.indirect is not None:
            dimension = Dimension(dimension.index, self._indirect(dimension.indirect), dimension.array_id)
        if index == register.index and indirect is register.indirect and dimension is register.dimension:
            return register
        return replace(register, index=index, indirect=indirect, dimension=dimension)

    def _indirect(self, ref: IndirectRef) -> IndirectRef:
        return replace(ref, index=self._index(ref.index)) if ref.index >= PROVISIONAL else ref

    def _index(self, index: int) -> int:
        if index < PROVISIONAL:
            return index
        at = bisect_right(self._starts, index) - 1
        if at < 0:
            return index
        base, final = self._bases[at]
        return final + index - base


def temporary(number: int) -> RegisterRef:
    """A TEMP register."""
    return RegisterRef(File.TEMP, number)
