"""Kernels of compute grids. One call runs many blocks, which the kernel itself enumerates.

A unit of work is the vectors of one block, or one vector that several small blocks share; its lanes run side by side. Blocks never share
a subgroup, so each takes whole quads.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.abi.records import BufferRecord, ShaderEnv
from backends.llvm.builder.environment import default_environment
from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.kernels.primitives import GRID_MEMORY
from backends.llvm.kernels.registers import Registers
from backends.llvm.kernels.system_values import OF_SUBGROUP, Channel, SystemValues
from backends.llvm.program.plan import plan_of
from backends.llvm.translate.barriers import Barriers, run_rounds
from backends.llvm.translate.interface import Words
from backends.llvm.translate.translator import translate
from passes.analysis.operands import registers_of
from passes.analysis.regions import FUEL
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.program import Program
from tgsi.language.record import record

THREAD_ROWS = 5
"""Rows of each vector in GridRecord.threads: x, y, z and number of the thread in its block, and 1 for lanes that are threads."""

PLACE_ROWS = 4
"""Rows of GridRecord.places: x, y and z of the lane's block, and -1 for lanes that have a block."""


class GridRecord(ctypes.Structure):
    """Arguments of one call of a grid kernel, which runs `blocks` blocks of a grid, in the order of x, y, z, from block `first` on.

    A unit is `vectors` vectors, or one vector with `shared_by` blocks of `quads` quads each (1 and 1 if blocks are not packed).
    threads: i32 as [vector][THREAD_ROWS][lane]. groups: [lane], number of the lane's block within its unit. grid: blocks along each axis.
    block: threads along each axis. last: threads along each axis of the last block. counters: BufferRecords of HWATOMIC. grid_memory:
    BufferRecords of GLOBAL and INPUT.

    The caller owns the scratch memory of one unit. places: [PLACE_ROWS][lane]. shared: `shared_words` words a block. private:
    `private_words` words a lane. state: see `translate.barriers`, a multiple of 64 bytes for each vector. stops: [vector].
    """

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("env", "counters", "grid_memory", "threads", "groups")),
        *((name, ctypes.c_void_p) for name in ("places", "shared", "private", "state", "stops")),
        *((name, ctypes.c_int32 * 3) for name in ("first", "grid", "block", "last")),
        *((name, ctypes.c_int32) for name in ("blocks", "vectors", "shared_by", "quads", "shared_words", "private_words")),
        *((name, ctypes.c_int32) for name in ("work_dim", "reserved")),
    ]


BeginUnit = Callable[[Function, Val], None]
"""Callback that takes the function under construction and the number of remaining blocks (i32), including those of the unit."""


@record(kw_only=True)
class GridKey:
    """The part of a launch that changes generated code.

    lanes: lanes of a vector. packed: blocks share vectors. trimmed: the last blocks have fewer threads. textures, samplers, images:
    units and keys of the bound objects. fuel: see `translate`. is_threaded: several CPU threads run blocks at once.
    """

    lanes: int
    packed: bool = False
    trimmed: bool = False
    textures: tuple[tuple[int, TextureKey], ...] = ()
    samplers: tuple[tuple[int, SamplerKey], ...] = ()
    images: tuple[tuple[int, ImageKey], ...] = ()
    fuel: int = FUEL
    is_threaded: bool = False


@record(kw_only=True)
class GridRegisters(SystemValues, Registers):
    """The Interface of one vector of threads."""

    program: Program
    record: Record
    index: Val
    images: Mapping[int, ImageKey]
    key: GridKey
    has_handles: ClassVar[bool] = True

    @property
    def is_threaded(self) -> bool:
        """True if other threads run blocks of the same grid at the same time."""
        return self.key.is_threaded

    # -- where the vector is -------------------------------------------------------------------------------------------
    def thread(self, row: int) -> Val:
        """Row of GridRecord.threads, for this vector."""
        step = THREAD_ROWS * 4 * self.lane_map.lanes
        return self.vector(self.f.at(self.record.get("threads"), self.index.zext(I64) * step), row, integer=True)

    def place(self, row: int) -> Val:
        """Row of GridRecord.places, one number for each lane."""
        lanes, places = self.lane_map.lanes, self.record.get("places")
        if self.key.packed:
            return self.vector(places, row, integer=True)
        return self.f.splat(self.f.load(I32, places, row * 4 * lanes), lanes)

    def find_present(self) -> Val:
        """Compute the lanes that are threads, as an i1 vector."""
        here = self.thread(4).ne(0)
        if self.key.packed:
            here = here & self.place(3).ne(0)
        if self.key.trimmed:
            f = self.f
            for axis in range(3):
                is_last = self.place(axis).eq(f.splat(self.record.get("grid", axis) - 1, self.lane_map.lanes))
                here = here & self.thread(axis).ult(f.select(is_last, self.record.get("last", axis), self.record.get("block", axis)))
        return here

    def present(self) -> Val:
        """Lanes that are threads, as an i1 vector, which `shade` has stored at its beginning."""
        return self.f.load(I32.wide(self.lane_map.lanes), self.inputs).ne(0)

    # -- registers -----------------------------------------------------------------------------------------------------
    def input(self, register: int, channel: int) -> Val:
        """Fail, because grids have no inputs."""
        return self.f.const(F32.wide(self.lane_map.lanes), 0)

    def axis_value(self, fetch: Callable[[int], Val], channel: int) -> Val:
        """Channel of a system value that has x, y and z; w is 0."""
        return fetch(channel) if channel < 3 else self.f.const(I32.wide(self.lane_map.lanes), 0)

    def size_of(self, field: str, axis: int) -> Val:
        """A size of the launch along an axis, from a field of its record with a number for each axis."""
        return self.f.splat(self.record.get(field, axis), self.lane_map.lanes)

    SYSTEM_VALUES: ClassVar[Mapping[str, Channel]] = {
        **OF_SUBGROUP,
        "INVOCATIONID": lambda self, channel: self.thread(3),
        "WORK_DIM": lambda self, channel: self.f.splat(self.record.get("work_dim"), self.lane_map.lanes),
        "THREAD_ID": lambda self, channel: self.axis_value(self.thread, channel),
        "BLOCK_ID": lambda self, channel: self.axis_value(self.place, channel),
        "BLOCK_SIZE": lambda self, channel: self.axis_value(partial(self.size_of, "block"), channel),
        "GRID_SIZE": lambda self, channel: self.axis_value(partial(self.size_of, "grid"), channel),
    }

    # -- memory --------------------------------------------------------------------------------------------------------
    def image_key(self, unit: int) -> ImageKey | None:
        """Key of an image."""
        return self.images.get(unit)

    def buffers(self) -> Val:
        """Pointer to the BufferRecords."""
        return Record(self.f, self.env, ShaderEnv).get("buffers")

    def counters(self) -> Val:
        """Pointer to the BufferRecords of counters."""
        return self.record.get("counters")

    def memory(self, kind: MemoryType) -> Words:
        """Words of a kind of MEMORY."""
        f, lanes = self.f, self.lane_map.lanes
        if kind in GRID_MEMORY:
            place = GRID_MEMORY.index(kind) * ctypes.sizeof(BufferRecord)
            record = Record(f, f.at(self.record.get("grid_memory"), place), BufferRecord)
            return Words(record.get("base"), record.get("words"))
        if kind is MemoryType.SHARED:
            count = self.record.get("shared_words")
            if not self.key.packed:
                return Words(self.record.get("shared"), count)
            return Words(self.record.get("shared"), count, self.vector(self.record.get("groups"), 0, integer=True) * (count << 2))
        count = self.record.get("private_words")
        number = f.lanes_const(I32.wide(lanes), list(range(lanes))) + self.index * lanes
        return Words(self.record.get("private"), count, number * (count << 2))


def memory_kinds(program: Program) -> frozenset[MemoryType]:
    """Kinds of MEMORY that a program may use; a register without declaration is SHARED."""
    named = [r for i in program.instructions for r in registers_of(i) if r.file is File.MEMORY]
    if not named:
        return frozenset()
    return frozenset({MemoryType.SHARED if d.memory is None else d.memory for d in program.declared(File.MEMORY)} | {MemoryType.SHARED})


def build_grid_kernel(program: Program, key: GridKey, cpu: str = "host") -> Module:
    """Module with the functions `launch(record)`, which sets the mode itself, and `state_bytes()`, bytes of state for each vector (i64).

    `record` is a GridRecord. Raises UnsupportedError for instructions and resources that the generator does not support.
    """
    module = Module("grid", cpu)
    build_blocks(module, program, key, GridRegisters)
    f = Function(module, "launch", [PTR])
    with default_environment(f):
        f.call(None, "drive", *f.args)
    f.ret()
    return module


def build_blocks(module: Module, program: Program, key: GridKey, kind: type[GridRegisters], begin_unit: BeginUnit | None = None) -> None:
    """Write the internal function `drive(record)`, which runs the blocks of a GridRecord, and `state_bytes()`.

    kind: the interface of the program. begin_unit: writes code that runs at the beginning of each unit.
    """
    state_bytes = _build_shade(module, program, key, kind)
    _build_drive(module, program, key, state_bytes, begin_unit)
    f = Function(module, "state_bytes", [], I64)
    f.ret(f.const(I64, state_bytes))


def _build_shade(module: Module, program: Program, key: GridKey, kind: type[GridRegisters]) -> int:
    """Write `shade(record, vector)`, or with barriers the function that `stages` has. Returns the bytes of state."""
    waits = plan_of(program).waits
    f = Function(module, "shade", [PTR, I32, PTR, I32] if waits else [PTR, I32], I32 if waits else None, internal=True)
    barriers = Barriers(f, f.args[2], f.args[3]) if waits else None
    record, lane_map = Record(f, f.args[0], GridRecord), _lane_map(program, key.lanes)
    here = f.alloca(f"[{key.lanes} x i32]")
    interface = kind(
        f=f,
        lane_map=lane_map,
        env=record.get("env"),
        inputs=here,
        system=here,
        textures=dict(key.textures),
        samplers=dict(key.samplers),
        program=program,
        record=record,
        index=f.args[1],
        images=dict(key.images),
        key=key,
    )
    present = interface.find_present()
    f.store(present.zext(I32), here)
    translate(f, program, interface, present, fuel=key.fuel, barriers=barriers)
    if barriers is None:
        f.ret()
        return 0
    barriers.finish()
    return barriers.size


def _lane_map(program: Program, lanes: int) -> LaneMap:
    """Threads in vectors. Vectors hold rows of a block with a constant width; otherwise one row is assumed."""
    width = program.property("CS_FIXED_BLOCK_WIDTH") or lanes
    return LaneMap(lanes, "threads", lanes // min(lanes, width & -width))


def _build_drive(module: Module, program: Program, key: GridKey, state_bytes: int, begin_unit: BeginUnit | None) -> None:
    """Write `drive(record)`, which runs one unit after the other."""
    f = Function(module, "drive", [PTR], internal=True)
    record, kinds = Record(f, f.args[0], GridRecord), memory_kinds(program)
    place = [f.var(I32, record.get("first", axis)) for axis in range(3)]
    remaining = f.var(I32, record.get("blocks"))
    with f.loop() as units:
        units.break_if(remaining.get() < 1)
        _place_blocks(f, record, key, place, remaining.get())
        if begin_unit is not None:
            begin_unit(f, remaining.get())
        if MemoryType.SHARED in kinds:
            clear_words(f, record.get("shared"), record.get("shared_words") * record.get("shared_by"))
        if MemoryType.PRIVATE in kinds:
            clear_words(f, record.get("private"), record.get("private_words") * record.get("vectors") * key.lanes)
        if plan_of(program).waits:
            vectors, stops = record.get("vectors"), record.get("stops")
            clear_words(f, stops, vectors)
            run_rounds(f, vectors, 0, record.get("state"), stops, state_bytes)
        else:
            with f.range(0, record.get("vectors")) as vector:
                f.call(None, "shade", f.args[0], vector)
        remaining.set(remaining.get() - record.get("shared_by"))
    f.ret()


def _place_blocks(f: Function, record: Record, key: GridKey, place: list[Var], remaining: Val) -> None:
    """Write code that stores the places of the next unit's blocks, and advances."""
    places, quads = record.get("places"), record.get("quads")
    with f.range(0, record.get("shared_by")) as number:
        now = [axis.get() for axis in place]
        exists = (number < remaining).zext(I32)
        with f.range(0, quads) as quad:
            start = f.at(places, (number * quads + quad) * 16)
            for row, value in enumerate([*now, exists]):
                f.store(f.splat(value, 4), start, row * 4 * key.lanes)
        step = f.const(I32, 1)
        for axis in range(3):
            further = now[axis] + step
            wraps = further.eq(record.get("grid", axis)) if axis < 2 else f.const(BOOL, 0)
            place[axis].set(f.select(wraps, 0, further))
            step = wraps.zext(I32)


def clear_words(f: Function, pointer: Val, words: Val) -> None:
    """Write code that sets words (their number is an i32) to 0."""
    f.call(PTR, "memset", pointer, f.const(I32, 0), words.zext(I64) << 2)
