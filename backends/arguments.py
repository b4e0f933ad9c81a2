"""What `tgsi.run` was given, checked and brought into one shape for both engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backends.gallium.state import SamplerState
from backends.result import Bits, Floats
from backends.textures import TextureData, check_textures
from passes.analysis.regions import FUEL
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import File, Processor
from tgsi.ir import Program
from tgsi.semantics import SEMANTICS

QUAD = 4
"""Invocations of a subgroup; fragments come in quads (0,0) (1,0) (0,1) (1,1)."""

MAX_CONSTANT_BUFFERS = 16
MAX_BUFFERS = 32
"""Numbers of CONST and BUFFER resources stay below."""

MAX_FUEL = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of one run.

    invocations: how many results there are; lanes: the same, rounded up to whole quads. The lanes added are inactive.
    inputs: (input registers, lanes, 4) words; all 0 where coefficients take their place.
    constants: buffer to (vec4s, 4) words; what lies outside reads 0.
    system_values: semantic name to (lanes, 4) words, for every name that the program declares.
    coefs: (input registers, 3, 4), a0 dadx dady; quad_pos: (4, lanes), x y z and 1/w; both None for vertices.
    """

    invocations: int
    lanes: int
    inputs: Bits
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


def prepare(
    program: Program,
    inputs: ArrayLike | None = None,
    *,
    constants: Mapping[int, ArrayLike] | None = None,
    system_values: Mapping[str, ArrayLike] | None = None,
    coefs: ArrayLike | None = None,
    quad_pos: ArrayLike | None = None,
    face: float = 1.0,
    flatshade_color: bool = False,
    textures: Mapping[int, TextureData] | None = None,
    samplers: Mapping[int, SamplerState] | None = None,
    buffers: Mapping[int, ArrayLike | bytes] | None = None,
    fuel: int = FUEL,
) -> Arguments:
    """Check the arguments of a run.

    inputs: (invocations, registers, 4), float32 or 32-bit words. A fragment program may take `coefs` (registers, 3, 4) and
    `quad_pos` (4, invocations) instead: whole quads, positions as the interpolation takes them, `quad_pos[3]` is 1/w.
    constants: buffer number to (vec4s, 4). system_values: semantic name to (invocations,) or (invocations, 4); VERTEXID and
    VERTEXID_NOBASE count from 0 when absent, FACE follows `face`, everything else absent is 0. fuel: loop iterations of a lane.
    textures, samplers: unit to view and sampler state; an empty unit reads (0, 0, 0, 1). buffers: number of a BUFFER to its 32-bit
    words, or to bytes (`bytes` or uint8); they are copied.

    Raises:
        UnsupportedError: the stage is not VERT or FRAG.
        TypeError, ValueError: an argument has the wrong type or shape; the message names it.
    """
    if program.processor not in (Processor.VERT, Processor.FRAG):
        raise UnsupportedError.at("B050", f"running {program.processor.name} programs is not supported; VERT and FRAG are")
    registers = program.file_size(File.IN)
    given = None if inputs is None else words("inputs", inputs)
    if given is not None and (given.ndim != 3 or given.shape[2] != 4):
        raise ValueError(f"inputs must have shape (invocations, registers, 4), not {given.shape}")
    fragments = _fragments(program, coefs, quad_pos, registers)
    if given is not None and fragments[0] is not None:
        raise ValueError("inputs and coefs exclude each other")
    if given is None and fragments[0] is None and registers:
        raise ValueError("inputs must be given: the program declares IN registers")
    if given is not None and given.shape[1] < registers:
        raise ValueError(f"inputs holds {given.shape[1]} registers, the program declares {registers}")
    system = {name: _system_value(name, value) for name, value in (system_values or {}).items()}
    invocations = _count(given, fragments[1], system)
    lanes = -(-invocations // QUAD) * QUAD
    padded = np.zeros((registers, lanes, 4), np.uint32)
    if given is not None:
        padded[:, :invocations] = given[:, :registers].transpose(1, 0, 2)
    if not 1 <= fuel <= MAX_FUEL:
        raise ValueError(f"fuel must be from 1 to {MAX_FUEL}, not {fuel}")
    textures, samplers = dict(textures or {}), dict(samplers or {})
    check_textures(program, textures, samplers)
    return Arguments(
        invocations,
        lanes,
        padded,
        {_number("constants", buffer, MAX_CONSTANT_BUFFERS): _constant_buffer(buffer, data) for buffer, data in (constants or {}).items()},
        _declared_system_values(program, system, invocations, lanes, face),
        *fragments,
        float(face),
        bool(flatshade_color),
        int(fuel),
        textures,
        samplers,
        {_number("buffers", number, MAX_BUFFERS): _buffer(number, data) for number, data in (buffers or {}).items()},
    )


def _number(name: str, number: int, limit: int) -> int:
    if not isinstance(number, int) or not 0 <= number < limit:
        raise ValueError(f"{name}: {number!r} is no number from 0 to {limit - 1}")
    return number


def _buffer(number: int, data: ArrayLike | bytes) -> Bits:
    """A copy of a buffer's words."""
    array: NDArray[Any] = np.frombuffer(data, np.uint8) if isinstance(data, bytes | bytearray | memoryview) else np.asarray(data)
    if array.dtype != np.uint8:
        return words(f"buffers[{number}]", array).reshape(-1).copy()
    if array.size % 4:
        raise ValueError(f"buffers[{number}] must hold whole 32-bit words, not {array.size} bytes")
    return np.frombuffer(array.tobytes(), np.uint32).copy()


def words(name: str, data: ArrayLike) -> Bits:
    """An array's 32-bit words; floats and integers that fit are converted, 32-bit ones are taken as they are."""
    array: NDArray[Any] = np.asarray(data)
    if array.dtype in (np.uint32, np.int32, np.float32):
        return np.ascontiguousarray(array).view(np.uint32)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    if array.dtype.kind in "iub":
        wide = array.astype(np.int64) if array.dtype.kind != "u" or array.dtype.itemsize < 8 else array
        if wide.size and (int(wide.min()) < -(1 << 31) or int(wide.max()) >= 1 << 32):
            raise ValueError(f"{name} holds integers that do not fit into 32 bits")
        return np.asarray(wide & 0xFFFFFFFF, dtype=np.uint32)
    raise TypeError(f"{name} must hold float32 or 32-bit integers, not {array.dtype}")


def _fragments(
    program: Program, coefs: ArrayLike | None, quad_pos: ArrayLike | None, registers: int
) -> tuple[Floats | None, Floats | None]:
    if coefs is None and quad_pos is None:
        return None, None
    if program.processor is not Processor.FRAG:
        raise ValueError("coefs and quad_pos belong to FRAG programs")
    if quad_pos is None:
        raise ValueError("coefs needs quad_pos")
    positions = words("quad_pos", quad_pos).view(np.float32)
    if positions.ndim != 2 or positions.shape[0] != 4 or positions.shape[1] % QUAD:
        raise ValueError(f"quad_pos must have shape (4, invocations) in whole quads, not {positions.shape}")
    if coefs is None:
        return None, positions
    planes = words("coefs", coefs).view(np.float32)
    if planes.ndim != 3 or planes.shape[1:] != (3, 4) or planes.shape[0] < registers:
        raise ValueError(f"coefs must have shape ({registers} or more, 3, 4), not {planes.shape}")
    return planes, positions


def _count(inputs: Bits | None, quad_pos: Floats | None, system: Mapping[str, Bits]) -> int:
    counts = {"inputs": inputs.shape[0]} if inputs is not None else {}
    if quad_pos is not None:
        counts["quad_pos"] = quad_pos.shape[1]
    counts |= {f"system_values[{name!r}]": value.shape[0] for name, value in system.items()}
    if len(set(counts.values())) > 1:
        raise ValueError(f"invocations differ: {', '.join(f'{name} has {count}' for name, count in counts.items())}")
    return next(iter(counts.values()), 1)


def _constant_buffer(buffer: int, data: ArrayLike) -> Bits:
    array = words(f"constants[{buffer}]", data)
    if array.size == 0:
        return np.zeros((0, 4), np.uint32)
    if array.ndim != 2 or array.shape[1] != 4:
        raise ValueError(f"constants[{buffer}] must have shape (vec4s, 4), not {array.shape}")
    return array


def _system_value(name: str, data: ArrayLike) -> Bits:
    if name not in SEMANTICS:
        raise ValueError(f"system_values: there is no semantic {name!r}")
    array = words(f"system_values[{name!r}]", data)
    if array.ndim == 1:
        array = np.repeat(array[:, None], 4, axis=1)
    if array.ndim != 2 or array.shape[1] != 4:
        raise ValueError(f"system_values[{name!r}] must have shape (invocations,) or (invocations, 4), not {array.shape}")
    return array


def _declared_system_values(program: Program, given: Mapping[str, Bits], invocations: int, lanes: int, face: float) -> dict[str, Bits]:
    found: dict[str, Bits] = {}
    for declaration in program.declared(File.SV):
        if declaration.semantic is None:
            continue
        name = declaration.semantic.name
        value = np.zeros((lanes, 4), np.uint32)
        if name in given:
            value[:invocations] = given[name]
        else:
            value[:] = _default_system_value(name, lanes, face)[:, None]
        found[name] = value
    return found


def _default_system_value(name: str, lanes: int, face: float) -> Bits:
    number = np.arange(lanes, dtype=np.uint32)
    in_quad = number % QUAD
    one = np.uint32(1)
    match name:
        case "VERTEXID" | "VERTEXID_NOBASE":
            return number
        case "FACE":
            return np.full(lanes, 0xFFFFFFFF if face > 0 else 0, np.uint32)
        case "SUBGROUP_SIZE":
            return np.full(lanes, QUAD, np.uint32)
        case "SUBGROUP_INVOCATION":
            return in_quad
        case "SUBGROUP_EQ_MASK":
            return one << in_quad
        case "SUBGROUP_GE_MASK":
            return np.uint32(15) & ~((one << in_quad) - one)
        case "SUBGROUP_GT_MASK":
            return np.uint32(15) & ~((np.uint32(2) << in_quad) - one)
        case "SUBGROUP_LE_MASK":
            return (np.uint32(2) << in_quad) - one
        case "SUBGROUP_LT_MASK":
            return (one << in_quad) - one
        case _:
            return np.zeros(lanes, np.uint32)


def read_array(source: Path | object) -> NDArray[Any]:
    """The numbers of a .npy file (never of pickled objects) or of nested lists, of one shape. ValueError for anything else."""
    array: NDArray[Any] = np.load(source, allow_pickle=False) if isinstance(source, Path) else np.asarray(source)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        raise ValueError("numbers are wanted")
    return array
