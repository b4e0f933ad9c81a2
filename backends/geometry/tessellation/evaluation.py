"""Kernel: tessellation evaluation shaders. A vector holds points of one patch, so values of the patch are loaded once for all lanes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.geometry.tessellation.kernel import native_entry
from backends.geometry.tessellation.key import Tessellator
from backends.geometry.tessellation.levels import load_levels
from backends.geometry.tessellation.records import EvaluationRecord
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.kernels.registers import DrawRegisters
from backends.llvm.kernels.system_values import OF_SUBGROUP, Channel
from backends.llvm.translate.rows import Index, RowFile
from backends.llvm.translate.translator import translate
from backends.pipe.enums import Prim
from backends.run.shapes import patch_registers
from passes.analysis.regions import FUEL
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.record import record

_Bound = tuple[dict[int, TextureKey], dict[int, SamplerKey], dict[int, ImageKey]]


@record(kw_only=True)
class PatchRows(RowFile):
    """Registers of the patch; all lanes belong to the same one.

    A constant index gives one value for all lanes. Indices outside of the file read 0.
    """

    def load(self, row: Index | None, register: Index, channel: int, reach: tuple[int, int]) -> Val:
        """Return a channel of a register of the range `reach` (first, count): i32, a scalar if row and register are scalars."""
        f, line, count = self.f, 0 if row is None else row, self.rows.number
        if any(isinstance(index, Val) and index.lanes > 1 for index in (line, register)):
            return RowFile.load(self, row, register, channel, reach)
        if isinstance(register, int) and register in self.once:
            line = 0
        if isinstance(line, int) and isinstance(register, int) and count is not None:
            if not (0 <= line < count and 0 <= register < self.registers):
                return f.const(I32, 0)
            return f.load(I32, self.pointer, (line * self.registers + register) * 16 + 4 * channel)
        number, at = (f.const(I32, index) if isinstance(index, int) else index for index in (register, line))
        if isinstance(register, Val):
            for single in sorted(self.once):
                at = f.select(register.eq(single), 0, at)
        exists = (number - reach[0]).ult(reach[1]) & number.ult(self.registers) & at.ult(self.rows)
        place = f.select(exists, at * self.registers + number, 0)
        word = f.load(I32, f.at(self.pointer, (place.zext(I64) << 4) + 4 * channel))
        return f.select(exists, word, 0)


@record(kw_only=True)
class EvaluationRegisters(DrawRegisters):
    """The Interface of an evaluation program: lanes are points from number `point` on of patch `patch`."""

    record: Record
    rows: int
    patch: Val
    point: Val
    end: Val

    def present(self) -> Val:
        """The lanes that are points."""
        lanes = self.lane_map.lanes
        return (self.f.lanes_const(I32.wide(lanes), range(lanes)) + self.point) < self.end

    def row_file(self, file: File) -> RowFile:
        """The input vertices of the patch."""
        f, rows, registers = self.f, self.f.const(I32, self.rows), self.program.file_size(file)
        words = f.at(self.record.get("inputs"), self.patch.zext(I64) * (16 * self.rows * registers))
        base = f.const(I64.wide(self.lane_map.lanes), 0)
        return PatchRows(
            f=f,
            pointer=words,
            rows=rows,
            base=base,
            own=None,
            registers=registers,
            once=patch_registers(self.program, file),
            present=self.present(),
        )

    def coordinate(self, channel: int) -> Val:
        """Return a channel of TESSCOORD, the points' coordinates in the domain."""
        f, vec = self.f, F32.wide(self.lane_map.lanes)
        if channel == 3 or (channel == 2 and Tessellator.of(self.program).domain is not Prim.TRIANGLES):
            return f.const(vec, 0.0)
        u, v = (f.load(vec, self.record.get(name), self.point << 2) for name in ("u", "v"))
        return (u, v, (1.0 - u) - v)[channel]

    def level(self, which: str, channel: int) -> Val:
        """Return an outer or inner tessellation level of the patch; 0 for a channel without a level."""
        levels = load_levels(self.record, which, self.patch)
        level = levels[channel] if channel < len(levels) else self.f.const(F32, 0.0)
        return self.f.splat(level, self.lane_map.lanes)

    def patch_number(self) -> Val:
        """Return the number of the patch in the draw."""
        return self.f.splat(self.f.load(I32, self.record.get("numbers"), self.patch << 2), self.lane_map.lanes)

    KERNELS: ClassVar[str] = "tessellation"
    SYSTEM_VALUES: ClassVar[Mapping[str, Channel]] = {
        **OF_SUBGROUP,
        "TESSCOORD": lambda self, channel: self.coordinate(channel),
        "TESSOUTER": lambda self, channel: self.level("outer", channel),
        "TESSINNER": lambda self, channel: self.level("inner", channel),
        "PRIM_ID": lambda self, channel: self.patch_number(),
        "VERTICESIN": lambda self, channel: self.f.const(I32.wide(self.lane_map.lanes), self.rows),
    }


def build_evaluation_kernel(
    program: Program,
    lanes: int,
    rows: int,
    textures: dict[int, TextureKey],
    samplers: dict[int, SamplerKey],
    images: dict[int, ImageKey],
    *,
    cpu: str = "host",
    fuel: int = FUEL,
) -> Module:
    """Build a module with `evaluate(record)`, which takes an EvaluationRecord. `rows`: vertices of a patch; `fuel`: as of `translate`.

    Raises UnsupportedError for programs that the generator cannot build.
    """
    module = Module("evaluate", cpu)
    _build_points(module, program, lanes, rows, (textures, samplers, images), fuel)
    native_entry(module, "evaluate", "patches")
    f = Function(module, "patches", [PTR], internal=True)
    record = Record(f, f.args[0], EvaluationRecord)
    starts = record.get("starts")
    with f.range(record.get("first"), record.get("patches")) as patch:
        end = f.load(I32, starts, (patch + 1) << 2)
        with f.range(f.load(I32, starts, patch << 2), end, lanes) as point:
            f.call(None, "points", f.args[0], patch, point, end)
    f.ret()
    return module


def _build_points(module: Module, program: Program, lanes: int, rows: int, bound: _Bound, fuel: int) -> None:
    """Add `points(record, patch, point, end)`: one vector.

    The surplus lanes of a patch's last vector write to places that the next vector overwrites.
    """
    f = Function(module, "points", [PTR, I32, I32, I32], internal=True)
    record, (patch, point, end) = Record(f, f.args[0], EvaluationRecord), f.args[1:]
    nothing = record.get("inputs")
    textures, samplers, images = bound
    interface = EvaluationRegisters(
        f=f,
        lane_map=LaneMap(lanes, "linear"),
        env=record.get("env"),
        inputs=nothing,
        system=nothing,
        textures=textures,
        samplers=samplers,
        images=images,
        program=program,
        record=record,
        rows=rows,
        patch=patch,
        point=point,
        end=end,
    )
    outputs = translate(f, program, interface, interface.present(), fuel=fuel)
    registers = program.file_size(File.OUT)
    size = 16 * registers
    out = f.at(record.get("vertices"), point.zext(I64) * size)
    targets = [f.at(out, lane * size) for lane in range(lanes)]
    for register in range(registers):
        f.store_vec4s([outputs.get(register, c) for c in range(4)], targets, 16 * register)
    f.ret()
