"""Runs of fragment programs: inputs interpolated at other positions in the pixel, and contents of the color targets."""

from __future__ import annotations

import ctypes

import numpy as np

from backends.abi.records import ShaderEnv
from backends.llvm.builder.function import F32, I32, I64, Val
from backends.llvm.builder.record import Record
from backends.llvm.kernels.placement import Placement
from backends.llvm.kernels.planes import mode_of
from backends.llvm.kernels.registers import RunRegisters
from backends.llvm.library.math import canonical
from backends.llvm.translate.emit.framebuffer import fetched_targets
from backends.llvm.translate.emit.interpolation import Place
from backends.run.arguments import Arguments
from backends.run.result import Bits, Floats
from passes.analysis import facts
from tgsi.language.facts.enums import File, Interpolation
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Declaration
from tgsi.language.program import Program
from tgsi.language.record import record

_POSITION, _CENTROID, _TARGETS = 0, 1, 2
"""Registers of `files`: window x, y, z and 1/w; x and y of the centroid relative to the pixel's center; then the color of each target."""

_WHOLE = frozenset({"POSITION", "FACE"})
"""Inputs with the same value at all positions in a pixel."""


class FragmentRecord(ctypes.Structure):
    """The record at RunRecord.fragments, for programs with `asks`.

    planes: [IN register][a0, dadx, dady][channel]. files: [vector][register * 4 + channel][lane]. has_planes: inputs come from planes.
    """

    _fields_ = [
        ("planes", ctypes.c_void_p),
        ("files", ctypes.c_void_p),
        ("has_planes", ctypes.c_int32),
        ("flat_color", ctypes.c_int32),
    ]


def asks(program: Program) -> bool:
    """True if the program reads inputs at other positions, or color targets."""
    return any(i.opcode.traits & {Trait.FRAMEBUFFER, Trait.INTERPOLATE} for i in program.instructions)


def color_targets(program: Program) -> int:
    """One more than the highest target that the program reads."""
    fetches = (i for i in program.instructions if Trait.FRAMEBUFFER in i.opcode.traits)
    return max((k + 1 for i in fetches for k in fetched_targets(program, i).values()), default=0)


@record(eq=False)
class Staged:
    """A FragmentRecord and the arrays that it points to."""

    record: FragmentRecord
    planes: Floats
    files: Bits

    @property
    def address(self) -> int:
        """Address of the record."""
        return ctypes.addressof(self.record)


def stage_fragments(program: Program, arguments: Arguments, placement: Placement, start: int, stop: int) -> Staged:
    """Stage the data for the vectors from `start` to `stop`."""
    words = np.zeros((_TARGETS + facts.of(program, color_targets), arguments.lanes, 4), np.uint32)
    position, planes = arguments.quad_pos, arguments.coefs
    if position is not None:
        words[_POSITION] = position.T.copy().view(np.uint32)
    words[_CENTROID, :, :2] = arguments.centroid_offset.view(np.uint32)
    for target, color in arguments.framebuffer.items():
        if _TARGETS + target < len(words):
            words[_TARGETS + target] = color
    files: Bits = placement.stage(words, start, stop)
    table: Floats = np.zeros((program.file_size(File.IN) + 1, 3, 4), np.float32)
    if planes is not None:
        table[: len(planes)] = planes[: len(table)]
    record = FragmentRecord(table.ctypes.data, files.ctypes.data, planes is not None, arguments.flatshade_color)
    return Staged(record, table, files)


class FragmentRegisters(RunRegisters):
    """The Interface of a run kernel of a fragment program."""

    __slots__ = ()

    @property
    def _fragments(self) -> Record:
        return Record(self.f, self.record.get("fragments"), FragmentRecord)

    def _value(self, register: int, channel: int) -> Val:
        size = (_TARGETS + facts.of(self.program, color_targets)) * 16 * self.lane_map.lanes
        files = self.f.at(self._fragments.get("files"), self.index.zext(I64) * size)
        return self.vector(files, 4 * register + channel)

    def _declaration(self, register: int) -> Declaration | None:
        return next((d for d in self.program.declared(File.IN) if d.covers(register)), None)

    def framebuffer(self, target: int, channel: int) -> Val:
        """Channel of the color in a target."""
        return self._value(_TARGETS + target, channel)

    def centroid_place(self) -> Place:
        """Position of the centroid: inside the primitive."""
        return self._value(_CENTROID, 0), self._value(_CENTROID, 1)

    def sample_place(self, number: Val) -> Place:
        """Place of a sample of the render target; the center for a sample that does not exist."""
        f, env = self.f, Record(self.f, self.env, ShaderEnv)
        there = (number >= 0) & (number < f.splat(env.get("samples"), number.lanes))
        table, offsets = env.get("sample_positions"), f.select(there, number, 0) << 3
        x, y = (f.gather(F32, f.at(table, 4 * k), offsets, there) - 0.5 for k in range(2))
        return f.select(there, x, 0.0), f.select(there, y, 0.0)

    def interpolate(self, register: int, channel: int, place: Place) -> Val:
        """Channel of an input at a place, from its plane; the given value if there are no planes."""
        f, plain_input, declaration = self.f, self.input(register, channel), self._declaration(register)
        name = declaration.semantic.name if declaration is not None and declaration.semantic is not None else ""
        if declaration is None or name in _WHOLE or mode_of(declaration, False) is Interpolation.CONSTANT:
            return plain_input
        is_given = self._fragments.get("has_planes").eq(0)
        if declaration.interpolation is Interpolation.COLOR:
            is_given = is_given | self._fragments.get("flat_color").ne(0)
        perspective = mode_of(declaration, False) is Interpolation.PERSPECTIVE
        return f.select(is_given, plain_input, canonical(f, self._plane(register, channel, place, perspective)))

    def _plane(self, register: int, channel: int, place: Place, perspective: bool) -> Val:
        f, lane_map = self.f, self.lane_map
        lanes, table = lane_map.lanes, self._fragments.get("planes")
        start, dx, dy = (f.splat(f.load(F32, table, (register * 12 + part * 4 + channel) * 4), lanes) for part in range(3))
        x, y, w = (self._value(_POSITION, k) for k in (0, 1, 3))
        value = (start + dx * lane_map.pick(f, x, 0, 0)) + dy * lane_map.pick(f, y, 0, 0)
        for step, bit in ((dx, lane_map.x_bit), (dy, lane_map.y_bit)):
            second = f.lanes_const(I32.wide(lanes), [bool(lane & bit) for lane in range(lanes)]).ne(0)
            value = f.select(second, value + step, value)
        if place is None:
            return value / w if perspective else value
        right, down = place
        away = right.ne(0.0) | down.ne(0.0)
        value = f.select(away, (start + dx * (x + right)) + dy * (y + down), value)
        if not perspective:
            return value
        there = (w + lane_map.ddx(f, w) * right) + lane_map.ddy(f, w) * down
        return value / f.select(away, there, w)
