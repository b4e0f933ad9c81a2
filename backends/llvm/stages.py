"""Whole kernels around a translated program: vertex shading, and runs on given registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from backends.llvm.abi import ShaderEnv
from backends.llvm.builder import F32, I32, PTR, Function, Module, Val
from backends.llvm.environment import default_environment
from backends.llvm.lanes import LaneMap
from backends.llvm.sampling.key import ImageKey, SamplerKey, TextureKey
from backends.llvm.structs import Record
from backends.llvm.subgroups import subgroup_value
from backends.llvm.translate import Outputs, translate
from passes.analysis.regions import FUEL
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import File
from tgsi.ir import Declaration, Program

#: Vector number of each system value in the `system` array of a vertex kernel.
VERTEX_SYSTEM_VALUES = {
    "VERTEXID": 0,
    "INSTANCEID": 1,
    "VERTEXID_NOBASE": 2,
    "BASEVERTEX": 3,
    "BASEINSTANCE": 4,
    "DRAWID": 5,
    "PRIM_ID": 6,
}


@dataclass(frozen=True, slots=True)
class _Registers:
    """An Interface that reads register files stored as vectors: channel c of register r is vector number 4 * r + c."""

    f: Function
    lane_map: LaneMap
    env: Val
    inputs: Val
    system: Val
    textures: Mapping[int, TextureKey]
    samplers: Mapping[int, SamplerKey]
    declarations: tuple[Declaration, ...] | None = None  # of SV; None: `system` is a register file too

    def vector(self, pointer: Val, number: int, integer: bool = False) -> Val:
        """Vector `number` of an array of vectors."""
        lanes = self.lane_map.lanes
        return self.f.load((I32 if integer else F32).wide(lanes), pointer, number * 4 * lanes)

    def input(self, register: int, channel: int) -> Val:
        """A channel of an input register."""
        return self.vector(self.inputs, 4 * register + channel)

    def system_value(self, register: int, channel: int) -> Val:
        """A channel of a system value; a vertex kernel's are scalars, the same in all channels."""
        if self.declarations is None:
            return self.vector(self.system, 4 * register + channel, integer=True)
        for declaration in self.declarations:
            if declaration.covers(register) and declaration.semantic is not None:
                name = declaration.semantic.name
                if name in VERTEX_SYSTEM_VALUES:
                    return self.vector(self.system, VERTEX_SYSTEM_VALUES[name], integer=True)
                if name.startswith("SUBGROUP_"):
                    return subgroup_value(self.f, self.lane_map, name, channel)
                raise UnsupportedError.at("B004", f"the system value {name} is not supported by vertex kernels", declaration.span)
        return self.f.const(I32.wide(self.lane_map.lanes), 0)

    def texture_key(self, unit: int) -> TextureKey | None:
        """Static part of a sampler view."""
        return self.textures.get(unit)

    def sampler_key(self, unit: int) -> SamplerKey | None:
        """Static part of a sampler."""
        return self.samplers.get(unit)


@dataclass(frozen=True, slots=True)
class _RunRegisters(_Registers):
    """An Interface with memory and images. `lanes`: words, not 0 where a lane is an invocation."""

    lanes: Val | None = None
    images: Mapping[int, ImageKey] = field(default_factory=dict)

    def image_key(self, unit: int) -> ImageKey | None:
        """Static part of an image."""
        return self.images.get(unit)

    def buffers(self) -> Val:
        """Pointer to the BufferRecords."""
        return Record(self.f, self.env, ShaderEnv).get("buffers")

    def present(self) -> Val:
        """The lanes that are invocations."""
        assert self.lanes is not None
        return self.f.load(I32.wide(self.lane_map.lanes), self.lanes).ne(0)


def output_count(program: Program) -> int:
    """OUT registers that a kernel stores: one more than the highest declared."""
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
    *,
    cpu: str = "host",
    name: str = "vertex_shader",
) -> Module:
    """A module with `vertex_shader(env, in, out, system)` for `lanes` vertices a call.

    env: ShaderEnv. Channel c of input register k is the vector at byte (4k + c) * 4 * lanes of `in`, channel c of output register r
    at (4r + c) * 4 * lanes of `out` (registers 0 to the highest declared). `system` holds i32 vectors in the order of
    `VERTEX_SYSTEM_VALUES`. The caller has set MXCSR. Raises UnsupportedError for what the generator does not build.
    """
    module = Module(name, cpu)
    f = Function(module, name, [PTR] * 4)
    env, inputs, out, system = f.args
    declarations = program.declared(File.SV)
    interface = _Registers(f, LaneMap(lanes), env, inputs, system, textures or {}, samplers or {}, declarations)
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
    """A module with `run(env, in, out, system, alive)`, which sets MXCSR itself.

    Layouts are those of `build_vertex_kernel`, except that `system` is a register file like `in`; `alive`
    holds one i32 a lane, not 0 where the lane is an invocation, and receives which were not killed. `fuel`: see `translate`.
    Four consecutive lanes are a quad: (0,0) (1,0) (0,1) (1,1).
    """
    module = Module("run", cpu)
    inner = Function(module, "shade", [PTR] * 5, internal=True)
    env, inputs, out, system, alive = inner.args
    keys = textures or {}, samplers or {}
    interface = _RunRegisters(inner, LaneMap(lanes, "linear"), env, inputs, system, *keys, lanes=alive, images=images or {})
    outputs = translate(inner, program, interface, fuel=fuel)
    _store_outputs(inner, outputs, program, out, lanes)
    inner.store(outputs.alive.zext(I32), alive)
    inner.ret()
    f = Function(module, "run", [PTR] * 5)
    with default_environment(f):
        f.call(None, "shade", *f.args)
    f.ret()
    return module
