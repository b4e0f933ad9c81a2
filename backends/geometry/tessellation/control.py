"""Kernel: tessellation control shaders. The invocations of a patch start a vector; one vector holds as many small patches as fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.geometry.tessellation.kernel import native_entry
from backends.geometry.tessellation.levels import INNER_LEVELS, OUTER_LEVELS
from backends.geometry.tessellation.records import ControlRecord
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.kernels.registers import DrawRegisters
from backends.llvm.kernels.system_values import OF_SUBGROUP, Channel
from backends.llvm.program.plan import plan_of
from backends.llvm.translate.barriers import Barriers, run_rounds
from backends.llvm.translate.rows import RowFile
from backends.llvm.translate.translator import translate
from backends.run.shapes import QUAD, patch_registers
from passes.analysis.regions import FUEL
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.record import record

_Bound = tuple[dict[int, TextureKey], dict[int, SamplerKey], dict[int, ImageKey]]


@record
class Arrangement:
    """The distribution of the `members` invocations of patches: `shared_by` patches per vector, or `vectors` vectors per patch."""

    members: int
    lanes: int

    @property
    def group(self) -> int:
        """Lanes of a patch, in whole quads."""
        return -(-self.members // QUAD) * QUAD

    @property
    def vectors(self) -> int:
        """Vectors of a patch."""
        return 1 if self.group <= self.lanes else -(-self.group // self.lanes)

    @property
    def shared_by(self) -> int:
        """Patches of a vector."""
        return max(self.lanes // self.group, 1)

    def units(self, patches: int) -> int:
        """Units of work for a number of patches: vectors, or groups of vectors for one patch each."""
        return -(-patches // self.shared_by)


def written_vertices(program: Program) -> int:
    """Return the number of rows, and of invocations, of a control program for each patch."""
    return max(1, program.property("TCS_VERTICES_OUT", 1))


@record(kw_only=True)
class ControlRegisters(DrawRegisters):
    """The Interface of a control program: lanes are invocations of patches."""

    record: Record
    patch: Val
    member: Val
    there: Val

    def present(self) -> Val:
        """The lanes that are invocations."""
        return self.there

    def row_file(self, file: File) -> RowFile:
        """The input or the output vertices of the patch."""
        f, program = self.f, self.program
        registers = program.file_size(file)
        if file is File.IN:
            words, rows = self.record.get("inputs"), self.record.get("rows")
        else:
            words, rows = self.record.get("outputs"), f.const(I32, written_vertices(program))
        base = self.patch.zext(I64) * (rows.zext(I64) * (16 * registers))
        return RowFile(
            f=f,
            pointer=words,
            rows=rows,
            base=base,
            own=self.member,
            registers=registers,
            once=patch_registers(program, file),
            present=self.there,
        )

    def default_level(self, first: int, count: int, channel: int) -> Val:
        """A level of `set_tess_state`, the same in all lanes; 0 in channels without one."""
        if channel >= count:
            return self.f.const(I32.wide(self.lane_map.lanes), 0)
        return self.f.splat(self.f.load(I32, self.record.get("levels"), 4 * (first + channel)), self.lane_map.lanes)

    KERNELS: ClassVar[str] = "tessellation"
    SYSTEM_VALUES: ClassVar[Mapping[str, Channel]] = {
        **OF_SUBGROUP,
        "INVOCATIONID": lambda self, channel: self.member,
        "PRIM_ID": lambda self, channel: self.f.gather(I32, self.record.get("numbers"), self.patch << 2),
        "TESS_DEFAULT_OUTER_LEVEL": lambda self, channel: self.default_level(0, OUTER_LEVELS, channel),
        "TESS_DEFAULT_INNER_LEVEL": lambda self, channel: self.default_level(OUTER_LEVELS, INNER_LEVELS, channel),
        "VERTICESIN": lambda self, channel: self.f.splat(self.record.get("rows"), self.lane_map.lanes),
    }


def build_control_kernel(
    program: Program,
    lanes: int,
    textures: dict[int, TextureKey],
    samplers: dict[int, SamplerKey],
    images: dict[int, ImageKey],
    *,
    cpu: str = "host",
    fuel: int = FUEL,
) -> Module:
    """Build a module with `control(record)`, which takes a ControlRecord. `fuel`: as of `translate`.

    Raises UnsupportedError for programs that the generator cannot build.
    """
    module = Module("control", cpu)
    arrangement = Arrangement(written_vertices(program), lanes)
    waits = plan_of(program).waits
    state_bytes = _build_shade(module, program, arrangement, (textures, samplers, images), waits, fuel)
    native_entry(module, "control", "patches")
    f = Function(module, "patches", [PTR], internal=True)
    record = Record(f, f.args[0], ControlRecord)
    units = (record.get("patches") + (arrangement.shared_by - 1)).udiv(arrangement.shared_by)
    if not waits:
        with f.range(0, units * arrangement.vectors) as index:
            f.call(None, "shade", f.args[0], index)
        f.ret()
        return module
    states, stops = record.get("state"), record.get("stops")
    with f.else_of(states.as_address().eq(0)) as otherwise:
        record.set("state_bytes", state_bytes)
        otherwise()
        with f.range(0, units * arrangement.vectors) as index:
            f.store(f.const(I32, 0), stops, index << 2)
        with f.range(0, units) as unit:
            run_rounds(f, f.const(I32, arrangement.vectors), unit * arrangement.vectors, states, stops, state_bytes)
    f.ret()
    return module


def _build_shade(
    module: Module,
    program: Program,
    arrangement: Arrangement,
    bound: _Bound,
    waits: bool,
    fuel: int,
) -> int:
    """Add `shade(record, index)`, which runs vector number `index`.

    With barriers it also takes the memory of the vector's state and the number of the barrier where it stopped, and returns the number of
    the barrier where it stops next. Returns the bytes of that state; 0 without barriers.
    """
    lanes = arrangement.lanes
    f = Function(module, "shade", [PTR, I32, PTR, I32] if waits else [PTR, I32], I32 if waits else None, internal=True)
    barriers = Barriers(f, f.args[2], f.args[3]) if waits else None
    record, index = Record(f, f.args[0], ControlRecord), f.args[1]
    lane = f.lanes_const(I32.wide(lanes), range(lanes))
    group, shared_by, vectors = arrangement.group, arrangement.shared_by, arrangement.vectors
    if vectors == 1:
        own = f.lanes_const(I32.wide(lanes), [k // group for k in range(lanes)])
        member = f.lanes_const(I32.wide(lanes), [k % group for k in range(lanes)])
        wanted = own + index * shared_by
        there = member.ult(arrangement.members) & own.ult(shared_by)
    else:
        member = lane + index.urem(vectors) * lanes
        wanted = f.splat(index.udiv(vectors), lanes)
        there = member.ult(arrangement.members)
    last = record.get("patches") - 1
    patch = f.min(wanted, f.splat(last, lanes))
    there = there & (wanted <= last)
    zero = record.get("inputs")
    textures, samplers, images = bound
    interface = ControlRegisters(
        f=f,
        lane_map=LaneMap(lanes, "linear"),
        env=record.get("env"),
        inputs=zero,
        system=zero,
        textures=textures,
        samplers=samplers,
        images=images,
        program=program,
        record=record,
        patch=patch,
        member=member,
        there=there,
    )
    translate(f, program, interface, there, fuel=fuel, barriers=barriers)
    if barriers is None:
        f.ret()
        return 0
    barriers.finish()
    return barriers.size
