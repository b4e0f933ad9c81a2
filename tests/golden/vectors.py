"""Measured vectors: read them, run an engine on them, compare."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.run.result import RunResult
from tests.golden.deviations import DEVIATIONS
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

Words = NDArray[np.uint32]
Mask = NDArray[np.bool_]
Run = Callable[..., RunResult]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Allowed deviation of results of libm: in units in the last place, or absolute."""

    ulp: int = 1
    absolute: float = 0.0


TOLERANCE: Mapping[str, Tolerance] = {"LG2": Tolerance(2), "LOG": Tolerance(2)}
"""Tolerance for logarithms: Mesa multiplies a rounded logarithm and rounds again."""


@dataclass(frozen=True)
class Case:
    """Measured program with its inputs and outputs."""

    name: str
    data: Mapping[str, Any]

    @cached_property
    def program(self) -> Program:
        return parse(str(self.data["text"]), name=self.name)

    @property
    def opcode(self) -> str:
        return str(self.data.get("opcode", ""))

    @cached_property
    def outputs(self) -> Words:
        return to_words(self.data["outputs"])

    @cached_property
    def defined(self) -> Mask:
        return np.array([[[word is not None for word in register] for register in lane] for lane in self.data["outputs"]])

    def run(self, run: Run, **options: Any) -> RunResult:
        """Call an engine's `run` with the arguments of the case."""
        constants = {number: to_words(buffer) for number, buffer in enumerate(self.data["consts"]) if buffer}
        if self.data["stage"] == "FRAG":
            return run(
                self.program,
                constants=constants,
                coefs=to_words(self.data["coefs"]),
                quad_pos=to_words(self.data["quad_pos"]),
                face=self.data["face"],
                flatshade_color=bool(self.data["flatshade_color"]),
                **options,
            )
        inputs = to_words(self.data["inputs"])
        return run(self.program, inputs, constants=constants, system_values=self._system_values(len(inputs)), **options)

    def _system_values(self, invocations: int) -> dict[str, Words]:
        """System values for all invocations. The measurement gives the registers of one group of four lanes, equal for all groups."""
        values = {}
        for declaration, register in zip(self.program.declared(File.SV), self.data.get("sysvals", ())):
            assert declaration.semantic is not None
            lanes = np.array([[int(word, 16) for word in channel] for channel in register], np.uint32).T
            values[declaration.semantic.name] = np.tile(lanes, (invocations // 4, 1))
        return values

    def mistakes(self, result: RunResult, tolerance: Mapping[str, Tolerance] = TOLERANCE) -> list[str]:
        """Lines that describe each wrong word."""
        lines = []
        if "live_mask" in self.data:
            alive = sum(int(lane) << number for number, lane in enumerate(result.alive))
            if alive != self.data["live_mask"]:
                lines.append(f"{self.name}: lanes alive {alive:#x}, not {self.data['live_mask']:#x}")
        got, want = result.outputs, self.outputs
        wrong = self.defined & (got != want)
        if self.data.get("libm"):
            wrong &= is_nan(got) | is_nan(want) | ~within(got, want, tolerance.get(self.opcode, Tolerance()))
        if wrong.any():
            for deviation in DEVIATIONS:
                if deviation.applies(self.name, self.opcode):
                    wrong &= ~deviation.excused(got, want)
        for lane, register, channel in np.argwhere(wrong):
            index = lane, register, channel
            lines.append(f"{self.name}: invocation {lane} OUT[{register}].{'xyzw'[channel]} {got[index]:08x}, not {want[index]:08x}")
        return lines


@cache
def cases(name: str) -> tuple[Case, ...]:
    """All cases of a set: opcodes, flow or random."""
    text = lzma.decompress((Path(__file__).parent / f"{name}.json.xz").read_bytes())
    return tuple(Case(case["name"], case) for case in json.loads(text))


def to_words(data: Any) -> Words:
    """Words of nested lists of 8 hexadecimal digits; null gives 0."""

    def number(item: Any) -> Any:
        return [number(inner) for inner in item] if isinstance(item, list) else int(item or "0", 16)

    return np.array(number(data), np.uint32)


def is_nan(words: Words) -> Mask:
    return (words & np.uint32(0x7FFFFFFF)) > 0x7F800000


def ordered(words: Words) -> NDArray[np.int64]:
    """Map floats to integers whose differences count units in the last place."""
    numbers = words.astype(np.int64)
    return np.where(numbers >= 1 << 31, (1 << 31) - numbers, numbers)


def within(got: Words, want: Words, tolerance: Tolerance) -> Mask:
    with np.errstate(all="ignore"):
        distance = np.abs(got.view(np.float32).astype(np.float64) - want.view(np.float32).astype(np.float64))
    near: Mask = np.abs(ordered(got) - ordered(want)) <= tolerance.ulp
    return near | (distance <= tolerance.absolute)
