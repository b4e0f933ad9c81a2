"""Run a program on arrays of registers through the code generator."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backends.llvm.abi import MAX_CONSTANT_BUFFERS, SamplerRecord, ShaderEnv, TextureRecord
from backends.llvm.engine import Library, compile_module
from backends.llvm.sampling.key import SamplerKey, TextureKey
from backends.llvm.stages import build_run_kernel, output_count
from backends.result import Bits, RunResult
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import File, Interpolation, Processor
from tgsi.ir import Program

_ENTRY = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)
_RUNNABLE = (Processor.VERT, Processor.FRAG)


def _bits(values: ArrayLike, what: str) -> Bits:
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return np.ascontiguousarray(array, np.float32).view(np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} must hold floats or integers, not {array.dtype}")
    return np.ascontiguousarray(array.astype(np.int64) & 0xFFFFFFFF, np.uint32)


def _registers(values: ArrayLike | None, what: str, count: int, invocations: int | None) -> Bits:
    """(invocations, count, 4) words; missing registers are 0."""
    if values is None:
        return np.zeros((invocations or 0, count, 4), np.uint32)
    words = _bits(values, what)
    if words.ndim != 3 or words.shape[2] != 4:
        raise ValueError(f"{what} must have the shape (invocations, registers, 4), not {words.shape}")
    if invocations is not None and words.shape[0] != invocations:
        raise ValueError(f"{what} has {words.shape[0]} invocations, expected {invocations}")
    result = np.zeros((words.shape[0], count, 4), np.uint32)
    used = min(count, words.shape[1])
    result[:, :used] = words[:, :used]
    return result


def interpolate(program: Program, coefs: ArrayLike, quad_pos: ArrayLike, face: float, flatshade: bool) -> Bits:
    """Input registers of fragments, (invocations, registers, 4), from plane equations.

    coefs: (registers, 3, 4) float32, rows a0, dadx, dady, values at window position (0, 0). quad_pos: (4, invocations) float32,
    window x, y, z and 1/w; groups of four are quads. COLOR inputs are constant where `flatshade`, else perspective.
    """
    planes = _bits(coefs, "coefs").view(np.float32)
    position = _bits(quad_pos, "quad_pos").view(np.float32)
    if planes.ndim != 3 or planes.shape[1:] != (3, 4):
        raise ValueError(f"coefs must have the shape (registers, 3, 4), not {planes.shape}")
    if position.ndim != 2 or position.shape[0] != 4 or position.shape[1] % 4:
        raise ValueError(f"quad_pos must have the shape (4, a multiple of 4), not {position.shape}")
    invocations = position.shape[1]
    result = np.zeros((invocations, program.file_size(File.IN), 4), np.float32)
    corner = np.repeat(position[:2, ::4], 4, axis=1)
    right = np.tile(np.array([0, 1, 0, 1], np.bool_), invocations // 4)
    low = np.tile(np.array([0, 0, 1, 1], np.bool_), invocations // 4)
    for declaration in program.declared(File.IN):
        semantic = declaration.semantic.name if declaration.semantic is not None else ""
        for register in range(declaration.first, declaration.last + 1):
            if semantic == "POSITION":
                result[:, register] = position.T
            elif semantic == "FACE":
                result[:, register] = (face, 0.0, 0.0, 1.0)
            elif register < len(planes):
                mode = Interpolation.PERSPECTIVE if declaration.interpolation is None else declaration.interpolation
                if mode is Interpolation.COLOR:
                    mode = Interpolation.CONSTANT if flatshade else Interpolation.PERSPECTIVE
                result[:, register] = _plane(planes[register], mode, corner, right, low, position[3])
    return result.view(np.uint32)


def _plane(
    plane: NDArray[np.float32],
    mode: Interpolation,
    corner: NDArray[np.float32],
    right: NDArray[np.bool_],
    low: NDArray[np.bool_],
    w: NDArray[np.float32],
) -> NDArray[np.float32]:
    """(invocations, 4) values of one register: the quad's corner first, then steps inside the quad."""
    start, dx, dy = plane
    if mode is Interpolation.CONSTANT:
        return np.repeat(start[None, :], len(right), axis=0)
    with np.errstate(all="ignore"):
        value: NDArray[np.float32] = (start + dx * corner[0][:, None]) + dy * corner[1][:, None]
        value = np.where(right[:, None], value + dx, value)
        value = np.where(low[:, None], value + dy, value)
        if mode is Interpolation.PERSPECTIVE:
            value /= w[:, None]
    return value


class _Environment:
    """A ShaderEnv over copies of the given constants."""

    def __init__(
        self,
        program: Program,
        constants: Mapping[int, ArrayLike],
        textures: Sequence[TextureRecord],
        samplers: Sequence[SamplerRecord],
    ) -> None:
        self.record = ShaderEnv()
        self._keep: list[Any] = []
        for buffer in range(MAX_CONSTANT_BUFFERS):
            words = _bits(constants[buffer], f"constants[{buffer}]").reshape(-1) if buffer in constants else np.zeros(0, np.uint32)
            storage = np.zeros(max(words.size, 4 * program.file_size(File.CONST, buffer)) + 4, np.uint32)
            storage[: words.size] = words
            self._keep.append(storage)
            self.record.constants[buffer] = storage.ctypes.data
            self.record.constant_words[buffer] = words.size
        texture_array = (TextureRecord * max(len(textures), 1))(*textures)
        sampler_array = (SamplerRecord * max(len(samplers), 1))(*samplers)
        self._keep += [texture_array, sampler_array]
        self.record.textures = ctypes.addressof(texture_array)
        self.record.samplers = ctypes.addressof(sampler_array)

    @property
    def address(self) -> int:
        """Where the record lies."""
        return ctypes.addressof(self.record)


def run(
    program: Program,
    inputs: ArrayLike | None = None,
    *,
    constants: Mapping[int, ArrayLike] | None = None,
    system_values: ArrayLike | None = None,
    coefs: ArrayLike | None = None,
    quad_pos: ArrayLike | None = None,
    face: float = 1.0,
    flatshade: bool = False,
    textures: Mapping[int, tuple[TextureKey, TextureRecord]] | None = None,
    samplers: Mapping[int, tuple[SamplerKey, SamplerRecord]] | None = None,
    lanes: int = 16,
    cpu: str = "host",
    library: Library | None = None,
) -> RunResult:
    """Run a validated VERT or FRAG program once for each invocation.

    inputs: (invocations, registers, 4) float32 or 32-bit words; fragments may give `coefs` and `quad_pos` instead (see `interpolate`).
    constants: buffer -> (vec4s, 4). system_values: (invocations, registers, 4). Groups of four invocations are quads.
    `library`: the compiled `build_run_kernel` of this program and these keys, if the caller kept it.
    Raises UnsupportedError for other stages and for what the generator does not build, ValueError and TypeError for wrong shapes.
    """
    if program.processor not in _RUNNABLE:
        raise UnsupportedError.at("B006", f"{program.processor.name} programs cannot be run by the code generator yet")
    if coefs is not None and quad_pos is not None:
        inputs = interpolate(program, coefs, quad_pos, face, flatshade)
    elif coefs is not None or quad_pos is not None:
        raise ValueError("coefs and quad_pos go together")
    if inputs is None and system_values is None:
        inputs = np.zeros((1, 0, 4), np.uint32)
    given = inputs if inputs is not None else system_values
    invocations = len(np.asarray(given)) if np.ndim(np.asarray(given)) else None
    in_words = _registers(inputs, "inputs", program.file_size(File.IN), invocations)
    invocations = in_words.shape[0]
    system_words = _registers(system_values, "system_values", program.file_size(File.SV), invocations)
    texture_items, sampler_items = textures or {}, samplers or {}
    if library is None:
        texture_keys = {unit: key for unit, (key, _) in texture_items.items()}
        sampler_keys = {unit: key for unit, (key, _) in sampler_items.items()}
        library = compile_module(build_run_kernel(program, lanes, texture_keys, sampler_keys, cpu=cpu), cpu=cpu)
    entry = _ENTRY(library.address["run"])
    environment = _Environment(
        program,
        constants or {},
        [texture_items[unit][1] if unit in texture_items else TextureRecord() for unit in range(max(texture_items, default=-1) + 1)],
        [sampler_items[unit][1] if unit in sampler_items else SamplerRecord() for unit in range(max(sampler_items, default=-1) + 1)],
    )
    count = output_count(program)
    outputs = np.zeros((invocations, count, 4), np.uint32)
    alive = np.zeros(invocations, np.bool_)
    block_out = np.zeros((max(count, 1), 4, lanes), np.uint32)
    block_alive = np.zeros(lanes, np.uint32)
    for start in range(0, invocations, lanes):
        part = slice(start, min(start + lanes, invocations))
        block_in = _block(in_words[part], lanes)
        block_system = _block(system_words[part], lanes)
        entry(environment.address, block_in.ctypes.data, block_out.ctypes.data, block_system.ctypes.data, block_alive.ctypes.data)
        size = part.stop - part.start
        outputs[part] = block_out[:count, :, :size].transpose(2, 0, 1)
        alive[part] = block_alive[:size] != 0
    return RunResult(outputs, alive)


def _block(words: Bits, lanes: int) -> Bits:
    """(lanes, registers, 4) -> vectors; missing lanes repeat the last one, so that they take no path of their own."""
    if len(words) < lanes:
        words = np.concatenate([words, np.repeat(words[-1:], lanes - len(words), axis=0)])
    block = np.ascontiguousarray(words.transpose(1, 2, 0))
    return block if block.size else np.zeros((1, 4, lanes), np.uint32)
