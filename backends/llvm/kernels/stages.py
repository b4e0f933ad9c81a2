"""Kernels around a translated program: vertex shading for draws, and runs of `tgsi.run`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.abi.records import ALIVE, EXHAUSTED, RunRecord
from backends.llvm.builder.environment import default_environment
from backends.llvm.builder.function import I32, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.kernels.registers import DrawRegisters, RunRegisters, file_bytes, vector_part
from backends.llvm.kernels.system_values import OF_SUBGROUP, Channel
from backends.llvm.program.nan_bits import ALL
from backends.llvm.program.plan import plan_of
from backends.llvm.program.presence import wants_presence
from backends.llvm.translate.barriers import Barriers, run_rounds
from backends.llvm.translate.translator import Outputs, translate
from passes.analysis.regions import FUEL
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program
from tgsi.language.record import record

#: System value to the number of its vector in the `system` array of a vertex kernel.
VERTEX_SYSTEM_VALUES = {
    "VERTEXID": 0,
    "INSTANCEID": 1,
    "VERTEXID_NOBASE": 2,
    "BASEVERTEX": 3,
    "BASEINSTANCE": 4,
    "DRAWID": 5,
    "PRIM_ID": 6,
}
_PRESENT = 7


def _vector(number: int, interface: VertexRegisters, channel: int) -> Val:
    """Return vector `number` of `system` as all channels of a system value."""
    return interface.vector(interface.system, number, integer=True)


@record(kw_only=True)
class VertexRegisters(DrawRegisters):
    """Interface of vertex kernels. A system value is one number, the same in all channels. exposed: of `exposed_outputs`."""

    exposed: int = ALL
    KERNELS: ClassVar[str] = "vertex"
    SYSTEM_VALUES: ClassVar[Mapping[str, Channel]] = {
        **OF_SUBGROUP,
        **{name: partial(_vector, number) for name, number in VERTEX_SYSTEM_VALUES.items()},
    }

    def exposed_outputs(self) -> int:
        """OUT registers whose exact bits matter, one bit each."""
        return self.exposed


class _Partial(VertexRegisters):
    """Interface of vertex kernels in which some lanes may not be vertices."""

    __slots__ = ()

    def present(self) -> Val:
        """Lanes that are vertices, as an i1 vector."""
        return self.vector(self.system, _PRESENT, integer=True).ne(0)


def output_count(program: Program) -> int:
    """Number of OUT registers that a kernel stores: one more than the highest declared register."""
    return program.file_size(File.OUT)


def _store_outputs(f: Function, outputs: Outputs, program: Program, pointer: Val, lanes: int) -> None:
    for register in range(output_count(program)):
        for channel in range(4):
            f.store(outputs.get(register, channel), pointer, (4 * register + channel) * 4 * lanes)


def build_vertex_kernel(
    program: Program,
    lanes: int,
    textures: Mapping[int, TextureKey] | None = None,
    samplers: Mapping[int, SamplerKey] | None = None,
    images: Mapping[int, ImageKey] | None = None,
    *,
    cpu: str = "host",
    name: str = "vertex_shader",
    exposed: int = ALL,
) -> Module:
    """Module with the function `vertex_shader(env, in, out, system)` for `lanes` vertices a call. The caller has set the environment.

    env: ShaderEnv. in: channel c of input register k is the vector at byte (4k + c) * 4 * lanes. out: channel c of output register r is
    the vector at byte (4r + c) * 4 * lanes, for registers 0 to the highest declared. system: i32 vectors in the order of
    `VERTEX_SYSTEM_VALUES`; vector 7, for programs that vote or write memory, is nonzero in lanes that are vertices. exposed: bit r is set
    if the exact bits of OUT register r matter, not only its values as numbers.
    Raises UnsupportedError for instructions and resources that the generator does not support.
    """
    module = Module(name, cpu)
    f = Function(module, name, [PTR] * 4)
    env, inputs, out, system = f.args
    kind = _Partial if wants_presence(program) else VertexRegisters
    interface = kind(
        f=f,
        lane_map=LaneMap(lanes),
        env=env,
        inputs=inputs,
        system=system,
        textures=textures or {},
        samplers=samplers or {},
        images=images or {},
        program=program,
        exposed=exposed,
    )
    _store_outputs(f, translate(f, program, interface), program, out, lanes)
    f.ret()
    return module


def build_run_kernel(
    program: Program,
    lanes: int,
    textures: Mapping[int, TextureKey] | None = None,
    samplers: Mapping[int, SamplerKey] | None = None,
    *,
    images: Mapping[int, ImageKey] | None = None,
    cpu: str = "host",
    fuel: int = FUEL,
) -> Module:
    """Module with the function `run(record)`, which sets the environment itself; `record` is a RunRecord. `fuel`: see `translate`.

    Four consecutive lanes are a quad: (0,0) (1,0) (0,1) (1,1). Raises UnsupportedError for instructions and resources that the generator
    does not support.
    """
    module = Module("run", cpu)
    state_bytes = _build_shade(module, program, lanes, textures or {}, samplers or {}, images or {}, fuel)
    if plan_of(program).waits:
        _build_rounds(module, state_bytes)
    else:
        _build_drive(module)
    f = Function(module, "run", [PTR])
    with default_environment(f):
        f.call(None, "drive", *f.args)
    f.ret()
    return module


def _build_shade(
    module: Module,
    program: Program,
    lanes: int,
    textures: Mapping[int, TextureKey],
    samplers: Mapping[int, SamplerKey],
    images: Mapping[int, ImageKey],
    fuel: int,
) -> int:
    """Write `shade(record, index)`, the program for one vector. Returns the bytes of state.

    With barriers the function is `shade(record, index, state, stopped)`, and returns the barrier where it stops next; see `barriers`.
    """
    from backends.llvm.kernels.fragments import FragmentRegisters  # only for runs, because draws load less
    from backends.llvm.kernels.primitives import KINDS, GeometryRegisters

    waits = plan_of(program).waits
    f = Function(module, "shade", [PTR, I32, PTR, I32] if waits else [PTR, I32], I32 if waits else None, internal=True)
    barriers = Barriers(f, f.args[2], f.args[3]) if waits else None
    record, index = Record(f, f.args[0], RunRecord), f.args[1]
    inputs = vector_part(record, "inputs", index, file_bytes(program, File.IN, lanes))
    system = vector_part(record, "system", index, file_bytes(program, File.SV, lanes))
    lane_map = LaneMap(lanes, "linear")
    kind = FragmentRegisters if program.processor is Processor.FRAG else KINDS.get(program.processor, RunRegisters)
    interface = kind(
        f=f,
        lane_map=lane_map,
        env=record.get("env"),
        inputs=inputs,
        system=system,
        textures=textures,
        samplers=samplers,
        program=program,
        record=record,
        index=index,
        images=images,
    )
    outputs = translate(f, program, interface, interface.present(), fuel=fuel, barriers=barriers, reports=True)
    if File.OUT not in plan_of(program).rows:
        _store_outputs(f, outputs, program, interface.part("outputs", file_bytes(program, File.OUT, lanes)), lanes)
    if isinstance(interface, GeometryRegisters):
        f.store(interface.emission.count, interface.part("counts", 4 * lanes))
    state = outputs.alive.zext(I32) * ALIVE
    if outputs.exhausted is not None:
        state = state | outputs.exhausted & EXHAUSTED
    f.store(state, interface.part("alive", 4 * lanes))
    if barriers is None:
        f.ret()
        return 0
    barriers.finish()
    return barriers.size


def _build_drive(module: Module) -> None:
    """Write `drive(record)`, which runs every vector, one after the other."""
    f = Function(module, "drive", [PTR], internal=True)
    record = Record(f, f.args[0], RunRecord)
    with f.range(0, record.get("units") * record.get("vectors")) as index:
        f.call(None, "shade", f.args[0], index)
    f.ret()


def _build_rounds(module: Module, state_bytes: int) -> None:
    """Write `drive(record)`, which runs one unit after the other, each with its barriers.

    If the record has no memory for states, the function only stores the size of a state in it.
    """
    f = Function(module, "drive", [PTR], internal=True)
    record = Record(f, f.args[0], RunRecord)
    vectors, states, stops = record.get("vectors"), record.get("state"), record.get("stops")
    with f.else_of(states.as_address().eq(0)) as otherwise:
        record.set("state_bytes", state_bytes)
        otherwise()
        with f.range(0, record.get("units")) as unit:
            run_rounds(f, vectors, unit * vectors, states, stops, state_bytes)
    f.ret()
