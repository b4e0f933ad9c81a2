"""Kernels of geometry shaders in draws: a vector of invocations reads shaded vertices and emits new ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.geometry.emission import DrawnEmission
from backends.geometry.records import PRIMITIVE, GeometryRecord
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.kernels.registers import DrawRegisters
from backends.llvm.kernels.system_values import OF_SUBGROUP, Channel
from backends.llvm.translate.rows import Index, RowFile
from backends.llvm.translate.translator import translate
from backends.run.shapes import input_vertices, output_vertices
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.record import record

Pair = tuple[int, int]


@record(kw_only=True)
class StagedRows(RowFile):
    """Registers of a file with rows, staged as vectors: [row][register][channel][lane]. Indices outside of the file read 0."""

    def load(self, row: Index | None, register: Index, channel: int, reach: Pair) -> Val:
        """Return a channel of a register of the range `reach` (first, count), as i32 lanes."""
        f, lanes = self.f, self.lanes
        line = 0 if row is None else row
        if isinstance(line, int) and isinstance(register, int) and self.rows.number is not None:
            if not (0 <= line < self.rows.number and register < self.registers):
                return f.const(I32.wide(lanes), 0)
            return f.load(I32.wide(lanes), self.pointer, ((line * self.registers + register) * 4 + channel) * 4 * lanes)
        place = self._locate(row, register, reach)
        if place is None:
            return f.const(I32.wide(lanes), 0)
        own = f.lanes_const(I64.wide(lanes), [4 * lane for lane in range(lanes)])
        return f.gather(I32, f.at(self.pointer, lanes * (place.fixed + 4 * channel)), place.offsets * lanes + own, place.exists)


@record(kw_only=True)
class GeometryInputs(DrawRegisters):
    """The Interface of a geometry program in a draw; `inputs` points to the staged rows."""

    emission: DrawnEmission
    there: Val
    number: Val  # number of each lane's primitive
    invocation: Val  # number of the lane's invocation within its primitive

    def present(self) -> Val:
        """The lanes that are invocations."""
        return self.there

    def row_file(self, file: File) -> RowFile:
        """The staged inputs."""
        f, lanes, count = self.f, self.lane_map.lanes, input_vertices(self.program)
        base = f.const(I64.wide(lanes), 0)
        return StagedRows(
            f=f,
            pointer=self.inputs,
            rows=f.const(I32, count),
            base=base,
            own=None,
            registers=self.program.file_size(File.IN),
            once=frozenset(),
            present=self.there,
        )

    KERNELS: ClassVar[str] = "geometry"
    SYSTEM_VALUES: ClassVar[Mapping[str, Channel]] = {
        **OF_SUBGROUP,
        "PRIM_ID": lambda self, channel: self.number,
        "INVOCATIONID": lambda self, channel: self.invocation,
        "VERTICESIN": lambda self, channel: self.f.const(I32.wide(self.lane_map.lanes), input_vertices(self.program)),
    }


def invocations_of(program: Program) -> int:
    """Return the number of invocations for each primitive."""
    return max(program.property("GS_INVOCATIONS"), 1)


def staged_inputs(program: Program) -> tuple[Pair, ...]:
    """Return (row, register) of each input that the program may read."""
    rows, registers = input_vertices(program), program.file_size(File.IN)
    inputs: set[Pair] = set()
    for instruction in program.instructions:
        for operand in instruction.src:
            r = operand.register
            if r.file is not File.IN:
                continue
            row = 0 if r.dimension is None else r.dimension.index
            lines = range(rows) if r.dimension is not None and r.dimension.indirect is not None else [row]
            columns = range(registers) if r.indirect is not None else [r.index]
            inputs |= {(a, b) for a in lines for b in columns if 0 <= a < rows and 0 <= b < registers}
    return tuple(sorted(inputs))


def build_geometry_kernel(
    program: Program,
    lanes: int,
    textures: dict[int, TextureKey],
    samplers: dict[int, SamplerKey],
    images: dict[int, ImageKey],
    *,
    cpu: str = "host",
) -> Module:
    """Build a module with `geometry(record, first)`: it runs an item in each lane, from number `first` on.

    record: a GeometryRecord. Stores the emitted vertices in its `emitted`, `marks` and `counts`. The caller has set the floating-point
    mode. UnsupportedError for programs that the generator cannot build.
    """
    module = Module("geometry", cpu)
    f = Function(module, "geometry", [PTR, I32])
    record = Record(f, f.args[0], GeometryRecord)
    vec, count = I32.wide(lanes), invocations_of(program)
    wanted = f.lanes_const(vec, range(lanes)) + f.args[1]
    last = record.get("items") - 1
    there = wanted <= last
    item = f.min(wanted, f.splat(last, lanes))
    primitive = item.udiv(count) if count > 1 else item
    number = f.gather(I32, record.get("numbers"), primitive << 2)
    invocation = item - primitive * count
    _stage(f, record, program, primitive, number)
    registers, limit = program.file_size(File.OUT), output_vertices(program)
    emission = DrawnEmission(f, lanes, registers, limit, record.get("emitted"), record.get("marks"))
    interface = GeometryInputs(
        f=f,
        lane_map=LaneMap(lanes, "linear"),
        env=record.get("env"),
        inputs=record.get("staged"),
        system=record.get("system"),
        textures=textures,
        samplers=samplers,
        images=images,
        program=program,
        emission=emission,
        there=there,
        number=number,
        invocation=invocation,
    )
    translate(f, program, interface, there)
    f.store(emission.count, record.get("counts"))
    f.ret()
    return module


def _stage(f: Function, record: Record, program: Program, primitive: Val, number: Val) -> None:
    """Load the inputs of a vector of invocations, transposed to lanes, into `staged`."""
    lanes, rows, registers = primitive.lanes, input_vertices(program), program.file_size(File.IN)
    corners, vertices, size = record.get("corners"), record.get("vertices"), record.get("vertex_size").zext(I64)
    staged, fvec, bytes_ = record.get("staged"), F32.wide(lanes), 4 * lanes
    offsets = f.alloca(str(I64.wide(lanes)))
    wanted = staged_inputs(program)
    for row in range(rows):
        if all(row != line for line, _ in wanted):
            continue
        corner = f.gather(I32, corners, (primitive * rows + row) << 2)
        f.store(corner.zext(I64) * size, offsets, 0, 64)
        pointers = [f.at(vertices, f.load(I64, offsets, 8 * lane, 8)) for lane in range(lanes)]
        for register in (column for line, column in wanted if line == row):
            source, place = record.get("source", register), (row * registers + register) * 4 * bytes_
            with f.else_of(source >= 0) as otherwise:
                for c, v in enumerate(f.load_vec4s([f.at(p, source) for p in pointers])):
                    f.store(v, staged, place + c * bytes_, min(64, bytes_))
                otherwise()
                for c in range(4):
                    default = f.const(fvec, 1.0 if c == 3 else 0.0)
                    v = f.select(source.eq(PRIMITIVE), number.as_float(), default)
                    f.store(v, staged, place + c * bytes_, min(64, bytes_))
