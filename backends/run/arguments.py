"""Check the arguments of `tgsi.run` and convert them to the form that both engines read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backends.pipe.checks import integer, real
from backends.pipe.limits import MAX_COLOR_BUFFERS, MAX_CONSTANT_BUFFERS, MAX_LOCAL, MAX_PATCH_VERTICES, MAX_PAYLOAD, MAX_SHADER_BUFFERS
from backends.pipe.state import SamplerState
from backends.run.meshes import launched
from backends.run.result import Bits, Emission, Floats, Mask, Mesh, RunResult, TraceStep
from backends.run.samples import coverage_bits, sample_positions, samples_of
from backends.run.shapes import QUAD, Index, Shape, Triple, block_shape, coordinates, flat_shape, input_vertices, patch_shape
from backends.run.system_values import declared_system_values, given_system_values
from backends.run.textures import ImageData, TextureData, check_textures, sampler_states, writable_images
from backends.run.words import buffer_words, flag, floats, inputs_by_number, mapping, words
from passes.analysis.regions import FUEL
from tgsi.language.facts.enums import File, MemoryType, Processor
from tgsi.language.facts.stages import BLOCK_STAGES, ROW_STAGES, STAGES
from tgsi.language.program import Program
from tgsi.language.record import record

MAX_SHARED_MEMORY = 1 << 20
MAX_FUEL = (1 << 31) - 1
MAX_PAYLOADS = 1 << 30
"""Most bytes of payload of all blocks of a task program together."""


class RunOptions(TypedDict, total=False):
    """Keyword arguments of `tgsi.run` that `prepare` reads; their meanings are in the docstring of `tgsi.run`."""

    constants: Mapping[int, ArrayLike] | None
    system_values: Mapping[str, ArrayLike] | None
    coefs: ArrayLike | None
    quad_pos: ArrayLike | None
    face: float
    flatshade_color: bool
    textures: Mapping[int, TextureData] | None
    samplers: Mapping[int, SamplerState] | None
    buffers: Mapping[int, ArrayLike | bytes] | None
    images: Mapping[int, TextureData] | None
    counters: Mapping[int, ArrayLike | bytes] | None
    memory: Mapping[str, ArrayLike | bytes] | None
    payload: ArrayLike | bytes | None
    shared_memory: int
    grid: Triple | None
    block: Triple | None
    framebuffer: Mapping[int, ArrayLike] | None
    sample_positions: ArrayLike | None
    coverage: ArrayLike | None
    fuel: int


@record(eq=False, kw_only=True)
class Arguments:
    """Arguments of one run.

    shape: invocations and lanes. Lanes without an invocation are inactive.
    inputs: (input registers, lanes, 4) words of vertices and fragments; all 0 if coefficients are given instead.
    vertices: (primitives, vertices, input registers, 4) words for GEOM, TESS_CTRL and TESS_EVAL, by `shape.primitive` of a lane.
    constants: buffer to (vec4s, 4) words; reads outside of them give 0.
    system_values: semantic name to (lanes, 4) words, for every name that the program declares.
    coefs: (input registers, 3, 4), a0, dadx and dady; quad_pos: (4, lanes), x, y, z and 1/w; both None if inputs are given.
    buffers, counters: number to words; memory: words of GLOBAL and INPUT memory; images: unit to texels. All are copies that a run writes.
    shared_words: words of SHARED memory of a block, and of PRIVATE memory of an invocation; the memory is 0 at the start.
    payload: (payloads, words) of PAYLOAD memory: one for each block of a task program, one for all blocks of a mesh program.
    sizes: (blocks, 3), the numbers that the blocks of a task or mesh program set last, 0 at the start. Other stages have none.
    framebuffer: target to (lanes, 4) words, which FBFETCH reads. sample_positions: (samples, 2), from 0 to 1 in the pixel.
    sample_offset: (lanes, 2), from the pixel's center to the lane's sample. centroid_offset: (lanes, 2), from there to a covered place.
    """

    shape: Shape
    inputs: Bits
    vertices: NDArray[np.uint32]
    constants: Mapping[int, Bits]
    system_values: Mapping[str, Bits]
    coefs: Floats | None
    quad_pos: Floats | None
    face: float
    flatshade_color: bool
    fuel: int
    textures: Mapping[int, TextureData]
    samplers: Mapping[int, SamplerState]
    buffers: dict[int, Bits]
    images: dict[int, ImageData]
    counters: dict[int, Bits]
    memory: dict[MemoryType, Bits]
    shared_words: int
    payload: Bits
    payload_bytes: int
    sizes: Bits
    framebuffer: Mapping[int, Bits]
    sample_positions: Floats
    sample_offset: Floats
    centroid_offset: Floats

    @property
    def invocations(self) -> int:
        """Number of invocations, each of which has a result."""
        return self.shape.invocations

    @property
    def lanes(self) -> int:
        """Number of lanes: invocations, and lanes that only fill up quads."""
        return self.shape.lanes

    @property
    def present(self) -> Mask:
        """True for lanes that are invocations, (lanes,)."""
        return self.shape.present

    @property
    def places(self) -> Index:
        """Lane of each invocation, (invocations,)."""
        return self.shape.places

    def result(
        self,
        outputs: Bits,
        alive: Mask,
        exhausted: Mask,
        emission: Emission | None = None,
        trace: Sequence[TraceStep] = (),
        meshes: Sequence[Mesh] | None = None,
    ) -> RunResult:
        """Result of a run with these arguments, after the run has written their buffers, images, counters, memory, payload and sizes.

        meshes: outputs of the blocks of a mesh program; None for other stages.
        """
        emitted, strips = emission.collect() if emission is not None else ((), ())
        if meshes is None:
            tasks, faults = launched(self.sizes)
        else:
            tasks, faults = self.sizes[:0], [(number, text) for number, mesh in enumerate(meshes) for text in mesh.faults]
        places = coordinates(np.array([number for number, _ in faults], np.int64), self.shape.grid)[:, :3].tolist()
        return RunResult(
            outputs,
            alive,
            exhausted,
            emitted=emitted,
            strips=strips,
            buffers={number: data.view(np.uint8) for number, data in self.buffers.items()},
            images={unit: image.texels for unit, image in self.images.items()},
            counters=self.counters,
            memory={kind.name: data.view(np.uint8) for kind, data in self.memory.items()},
            tasks=tasks,
            payload=self.payload[: len(tasks)].view(np.uint8)[:, : self.payload_bytes],
            meshes=() if meshes is None else meshes,
            faults=[f"workgroup ({x}, {y}, {z}): {text}" for (x, y, z), (_, text) in zip(places, faults)],
            trace=trace,
        )


def prepare(program: Program, inputs: ArrayLike | None = None, **options: Unpack[RunOptions]) -> Arguments:
    """Check and convert the arguments of a run; the docstring of `tgsi.run` describes them.

    Raises:
        TypeError, ValueError: an argument has the wrong type or shape, or belongs to another stage; the message names it.
    """
    _check_stage(program, options)
    facts, registers = STAGES[program.processor], program.file_size(File.IN)
    by_vertex = program.processor in ROW_STAGES
    input_words = _input_words(program, inputs, by_vertex)
    system = given_system_values(options.get("system_values"))
    coefs, positions = _planes(registers, options.get("coefs"), options.get("quad_pos"))
    vertices = _vertices(program, input_words, registers) if by_vertex else np.zeros((0, 0, registers, 4), np.uint32)
    if not by_vertex:
        _check_inputs(input_words, coefs, registers)
    coverage = coverage_bits(options.get("coverage"))
    framebuffer = _numbered("framebuffer", options.get("framebuffer"), MAX_COLOR_BUFFERS, _color)
    counts = _counts(None if by_vertex else input_words, positions, coverage, framebuffer, system)
    shape = _shape(program, options, vertices, counts)
    padded = np.zeros((0 if by_vertex else registers, shape.lanes, 4), np.uint32)
    if input_words is not None and not by_vertex:
        padded[:, : len(input_words)] = input_words[:, :registers].transpose(1, 0, 2)
    samples = samples_of(shape, sample_positions(options.get("sample_positions")), coverage, system)
    face = real(options.get("face", 1.0), "face")
    defaults = {
        "FACE": np.array([0xFFFFFFFF if face > 0 else 0], np.uint32),
        **samples.system_values,
        "VERTICESIN": np.array([vertices.shape[1]], np.uint32),
    }
    fuel = integer(options.get("fuel", FUEL), "fuel", 1, MAX_FUEL)
    shared = integer(options.get("shared_memory", MAX_LOCAL), "shared_memory", 0, MAX_SHARED_MEMORY)
    payload, payload_bytes = _payload(program, options.get("payload"), shape)
    textures, samplers = _textures(program, options.get("textures"), options.get("samplers"))
    return Arguments(
        shape=shape,
        inputs=padded,
        vertices=vertices,
        constants=_numbered("constants", options.get("constants"), MAX_CONSTANT_BUFFERS, _constant_buffer),
        system_values=declared_system_values(program, shape, system, defaults),
        coefs=coefs,
        quad_pos=None if positions is None else np.pad(positions, ((0, 0), (0, shape.lanes - positions.shape[1]))),
        face=face,
        flatshade_color=flag("flatshade_color", options.get("flatshade_color", False)),
        fuel=fuel,
        textures={unit: replace(texture) for unit, texture in textures.items()},  # without decoded texels: they may have changed
        samplers=sampler_states(samplers),
        buffers=_numbered("buffers", options.get("buffers"), MAX_SHADER_BUFFERS, buffer_words),
        images=writable_images(mapping("images", options.get("images"))),
        counters=_numbered("counters", options.get("counters"), MAX_SHADER_BUFFERS, buffer_words),
        memory={_memory(name): buffer_words(f"memory[{name!r}]", data) for name, data in mapping("memory", options.get("memory")).items()},
        shared_words=(program.property(f"{facts.prefix}SHARED_BYTES") if facts.is_mesh else shared) // 4,
        payload=payload,
        payload_bytes=payload_bytes,
        sizes=np.zeros((shape.groups if facts.is_mesh else 0, 3), np.uint32),
        framebuffer={k: _in_lanes(data, shape) for k, data in framebuffer.items()},
        sample_positions=samples.positions,
        sample_offset=samples.offset,
        centroid_offset=samples.centroid_offset,
    )


_STAGES: Mapping[str, tuple[Processor, ...]] = {
    **dict.fromkeys(("coefs", "quad_pos", "framebuffer", "sample_positions", "coverage"), (Processor.FRAG,)),
    **dict.fromkeys(("block", "memory"), (Processor.COMP,)),
    "grid": tuple(sorted(BLOCK_STAGES)),
    "payload": (Processor.MESH,),
}
"""Arguments that only some stages take, to those stages."""


def _check_stage(program: Program, options: RunOptions) -> None:
    for name, stages in _STAGES.items():
        if options.get(name) is not None and program.processor not in stages:
            *others, last = (stage.name for stage in stages)
            names = f"{', '.join(others)} and {last}" if others else last
            raise ValueError(f"{name} belongs to {names} programs, not to {program.processor.name}")


def _counts(
    inputs: Bits | None, positions: Floats | None, coverage: Bits | None, framebuffer: Mapping[int, Bits], system: Mapping[str, Bits]
) -> dict[str, int]:
    """Number of invocations that each argument gives, by the argument's name."""
    counts = {} if inputs is None else {"inputs": len(inputs)}
    counts |= {} if positions is None else {"quad_pos": positions.shape[1]}
    counts |= {} if coverage is None else {"coverage": len(coverage)}
    counts |= {f"framebuffer[{k}]": len(data) for k, data in framebuffer.items()}
    return counts | {f"system_values[{name!r}]": len(value) for name, value in system.items()}


def _shape(program: Program, options: RunOptions, vertices: NDArray[np.uint32], counts: Mapping[str, int]) -> Shape:
    if len(set(counts.values())) > 1:
        raise ValueError(f"invocations differ: {', '.join(f'{name} has {count}' for name, count in counts.items())}")
    known, primitives = next(iter(counts.values()), None), len(vertices)
    match program.processor:
        case Processor.COMP | Processor.TASK | Processor.MESH:
            grid = options.get("grid")
            shape = block_shape(program, (1, 1, 1) if grid is None else grid, options.get("block"))
        case Processor.TESS_CTRL:
            shape = patch_shape(primitives, max(1, program.property("TCS_VERTICES_OUT", 1)))
        case Processor.GEOM:
            shape = flat_shape(primitives * max(1, program.property("GS_INVOCATIONS", 1)), primitives)
        case Processor.TESS_EVAL:
            if known is not None and (known % primitives if primitives else known):
                raise ValueError(f"{next(iter(counts))} has {known} invocations, which is not a multiple of {primitives} patches")
            return flat_shape(primitives if known is None else known, primitives)
        case _:
            count = 1 if known is None else known
            return flat_shape(count, count)
    if known is not None and known != shape.invocations:
        raise ValueError(f"{next(iter(counts))} has {known} invocations, the run has {shape.invocations}")
    return shape


def _input_words(program: Program, inputs: Any, by_vertex: bool) -> Bits | None:
    if isinstance(inputs, Mapping):
        raise TypeError(inputs_by_number(program, by_vertex))
    return None if inputs is None else words("inputs", inputs)


def _textures(program: Program, bound: Any, states: Any) -> tuple[Mapping[Any, Any], Mapping[Any, Any]]:
    """Textures and samplers by unit. Without `samplers`, every texture has the default one."""
    textures = mapping("textures", bound)
    check_textures(program, textures)
    return textures, dict.fromkeys(textures, SamplerState()) if states is None else mapping("samplers", states)


def _check_inputs(inputs: Bits | None, coefs: Floats | None, registers: int) -> None:
    if inputs is not None and (inputs.ndim != 3 or inputs.shape[2] != 4):
        raise ValueError(f"inputs must have shape (invocations, registers, 4), not {inputs.shape}")
    if inputs is not None and coefs is not None:
        raise ValueError("inputs and coefs exclude each other")
    if inputs is None and coefs is None and registers:
        raise ValueError("inputs must be given: the program declares IN registers")
    if inputs is not None and inputs.shape[1] < registers:
        raise ValueError(f"inputs holds {inputs.shape[1]} registers, the program declares {registers}")


def _vertices(program: Program, inputs: Bits | None, registers: int) -> NDArray[np.uint32]:
    """Checked input vertices, (primitives, vertices, registers, 4); PRIM_ID inputs hold the number of the primitive."""
    geometry = program.processor is Processor.GEOM
    count = input_vertices(program)
    if inputs is None:
        if registers:
            raise ValueError("inputs must be given: the program declares IN registers")
        inputs = np.zeros((1, count if geometry else 1, 0, 4), np.uint32)
    if (
        inputs.ndim != 4
        or inputs.shape[3] != 4
        or (geometry and inputs.shape[1] != count)
        or not 1 <= inputs.shape[1] <= MAX_PATCH_VERTICES
    ):
        wanted = f"(primitives, {count}, registers, 4)" if geometry else f"(patches, 1 to {MAX_PATCH_VERTICES} vertices, registers, 4)"
        raise ValueError(f"inputs must have shape {wanted}, not {inputs.shape}")
    if inputs.shape[2] < registers:
        raise ValueError(f"inputs holds {inputs.shape[2]} registers, the program declares {registers}")
    result = inputs[:, :, :registers].copy()
    for declaration in program.declared(File.IN):
        if declaration.semantic is not None and declaration.semantic.name == "PRIM_ID":
            result[:, :, declaration.first : declaration.last + 1] = np.arange(len(result), dtype=np.uint32)[:, None, None, None]
    return result


def _planes(registers: int, coefs: ArrayLike | None, quad_pos: ArrayLike | None) -> tuple[Floats | None, Floats | None]:
    if coefs is None and quad_pos is None:
        return None, None
    if quad_pos is None:
        raise ValueError("coefs needs quad_pos")
    positions = floats("quad_pos", quad_pos)
    if positions.ndim != 2 or positions.shape[0] != 4 or positions.shape[1] % QUAD:
        raise ValueError(f"quad_pos must have shape (4, invocations) in whole quads, not {positions.shape}")
    if coefs is None:
        return None, positions
    planes = floats("coefs", coefs)
    if planes.ndim != 3 or planes.shape[1:] != (3, 4) or planes.shape[0] < registers:
        raise ValueError(f"coefs must have shape ({registers} or more, 3, 4), not {planes.shape}")
    return planes, positions


def _numbered(name: str, items: Any, limit: int, read: Callable[[str, Any], Bits]) -> dict[int, Bits]:
    """Items of a mapping converted by `read`, by number. ValueError for a key other than a number from 0 to `limit` - 1."""
    numbered = {}
    for key, data in mapping(name, items).items():
        if not isinstance(key, int | np.integer) or not 0 <= key < limit:
            raise ValueError(f"{name}: {key!r} is not a number from 0 to {limit - 1}")
        numbered[int(key)] = read(f"{name}[{key}]", data)
    return numbered


def _memory(name: Any) -> MemoryType:
    if name not in ("GLOBAL", "INPUT"):
        raise ValueError(f"memory: {name!r} is neither 'GLOBAL' nor 'INPUT'")
    return MemoryType[name]


def _payload(program: Program, payload: Any, shape: Shape) -> tuple[Bits, int]:
    """Words of PAYLOAD memory, (payloads, words), and the bytes of each that a task hands over. A task's payload is 0 at the start."""
    if program.processor is not Processor.TASK:
        data = b"" if payload is None else payload.tobytes() if isinstance(payload, np.ndarray) and payload.dtype == np.uint8 else payload
        if isinstance(data, bytes | bytearray | memoryview):
            data = bytes(data) + bytes(-len(data) % 4)
        words = buffer_words("payload", data).reshape(1, -1)
        if words.nbytes > MAX_PAYLOAD:
            raise ValueError(f"payload has {words.nbytes} bytes, more than {MAX_PAYLOAD}")
        return words, 0
    size = program.property("TS_PAYLOAD_BYTES")
    if shape.groups * size > MAX_PAYLOADS:
        raise ValueError(f"grid has {shape.groups} blocks with {size} bytes of payload each, more than {MAX_PAYLOADS} bytes in all")
    return np.zeros((shape.groups, -(-size // 4)), np.uint32), size


def _constant_buffer(name: str, data: ArrayLike) -> Bits:
    array = words(name, data)
    if array.size == 0:
        return np.zeros((0, 4), np.uint32)
    if array.ndim != 2 or array.shape[1] != 4:
        raise ValueError(f"{name} must have shape (vec4s, 4), not {array.shape}")
    return array


def _color(name: str, data: ArrayLike) -> Bits:
    array = words(name, data)
    if array.ndim != 2 or array.shape[1] != 4:
        raise ValueError(f"{name} must have shape (invocations, 4), not {array.shape}")
    return array


def _in_lanes(data: Bits, shape: Shape) -> Bits:
    result = np.zeros((shape.lanes, 4), np.uint32)
    result[shape.places] = data
    return result
