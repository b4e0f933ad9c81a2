"""Runs of task and mesh programs by the kernels of draws, with the results of `tgsi.run`."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.abi.records import BufferRecord
from backends.llvm.engine import opt_level
from backends.llvm.engine.engine import Library, compile_module
from backends.llvm.kernels.bind import Environment
from backends.llvm.kernels.grid_layout import layout_of
from backends.llvm.kernels.grids import PLACE_ROWS, GridKey
from backends.llvm.kernels.mesh_grids import MeshRecord, MeshRun, build_mesh_kernel
from backends.llvm.kernels.mesh_stages import SIZES
from backends.llvm.program.plan import fitting_lanes
from backends.pipe.limits import MAX_SHADER_BUFFERS
from backends.run.arguments import prepare
from backends.run.meshes import launched, make_mesh, mesh_memory, rows_of, writes_meshes
from backends.run.result import RunResult
from tests.property.engines import result_differences
from tests.property.programs import FUEL
from tgsi.language.program import Program

PATTERN = 0xA5
"""Bytes that results have before a launch, and that must be intact after the last workgroup."""

MARGIN = 64
"""Bytes of the pattern after all memory that a launch may write; a multiple of 64."""

Triple = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class Part:
    """Workgroups of one grid, for `launch_runs`."""

    grid: Triple
    first: int
    blocks: int
    payload: bytes = b""
    draw_id: int = 0


def whole(grid: Triple) -> list[Part]:
    """All workgroups of a grid as one part."""
    return [Part(grid=grid, first=0, blocks=grid[0] * grid[1] * grid[2])]


def allocate(size: int) -> NDArray[np.uint8]:
    """Memory for results and scratch, aligned to 64 bytes."""
    memory = np.full(size + 64, PATTERN, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size]


def _extended(size: int) -> NDArray[np.uint8]:
    """Memory, and 64 bytes after it that nothing may write."""
    memory = allocate(size + MARGIN)
    memory[:] = PATTERN
    return memory


def _place(number: int, grid: Triple) -> Triple:
    width, height = max(grid[0], 1), max(grid[1], 1)
    return number % width, number // width % height, number // (width * height)


@functools.lru_cache(64)
def _kernel(text: str, key: GridKey, cpu: str, level: int) -> Library:
    """Kernel of a program, compiled once for launches that differ only in their parts. level: that of LLVM's code generator."""
    return compile_module(build_mesh_kernel(tgsi.parse(text), key, cpu), cpu=cpu)


def launch(
    text: str | Program, parts: Sequence[Part], *, lanes: int, cpu: str = "host", single: bool = False, fuel: int = 300, **options: Any
) -> RunResult:
    """Result of the parts, one after the other. single: use `launch`, with one part."""
    program = tgsi.parse(text) if isinstance(text, str) else text
    tgsi.validate(program)
    payload = parts[0].payload if writes_meshes(program) and parts else None
    arguments = prepare(program, grid=(1, 1, 1), payload=payload, **options)
    environment = Environment(program, arguments)
    block: Any = tuple(program.property(f"CS_FIXED_BLOCK_{axis}") for axis in ("WIDTH", "HEIGHT", "DEPTH"))
    lanes = fitting_lanes(program, lanes)
    layout = layout_of(block, lanes)
    key = GridKey(
        lanes=lanes,
        packed=layout.shared_by > 1,
        textures=environment.texture_keys,
        samplers=environment.sampler_keys,
        images=environment.image_keys,
        fuel=fuel,
    )
    library = _kernel(program.text, key, cpu, opt_level.DEFAULT)
    count = sum(part.blocks for part in parts)
    record = MeshRecord()
    counters = (BufferRecord * MAX_SHADER_BUFFERS)()
    for number, data in arguments.counters.items():
        counters[number] = BufferRecord(data.ctypes.data, data.size)
    record.env, record.counters = environment.address, ctypes.addressof(counters)
    record.threads, record.groups = layout.threads.ctypes.data, layout.groups.ctypes.data
    record.vectors, record.shared_by, record.quads = layout.vectors, layout.shared_by, layout.quads
    record.block[:], record.shared_words = block, arguments.shared_words
    state_bytes = ctypes.CFUNCTYPE(ctypes.c_int64)(library.address["state_bytes"])()
    size = mesh_memory(program).size if writes_meshes(program) else 0
    payload_words = arguments.payload.shape[1]
    memory = {
        "places": _extended(PLACE_ROWS * lanes * 4),
        "shared": _extended(layout.shared_by * arguments.shared_words * 4),
        "state": _extended(layout.vectors * state_bytes),
        "stops": _extended(layout.vectors * 4),
        "outputs": _extended(count * size),
        "counts": _extended(count * SIZES * 4),
        "payload": _extended(0 if writes_meshes(program) else count * payload_words * 4),
    }
    for name, array in memory.items():
        setattr(record, name, array.ctypes.data)
    record.payload_words = payload_words
    runs = (MeshRun * max(1, len(parts)))()
    payloads = [np.frombuffer(part.payload + bytes(64), np.uint8).copy() for part in parts]
    for run, part, given in zip(runs, parts, payloads):
        run.payload, run.draw_id, run.blocks = given.ctypes.data, part.draw_id, part.blocks
        run.first[:], run.grid[:] = _place(part.first, part.grid), part.grid
    if single:
        (part,) = parts
        record.first[:], record.grid[:] = _place(part.first, part.grid), part.grid
        record.blocks, record.draw_id = part.blocks, part.draw_id
        if writes_meshes(program):
            record.payload = payloads[0].ctypes.data
        library.entry("launch")(ctypes.addressof(record))
    else:
        record.runs, record.run_count = ctypes.addressof(runs), len(parts)
        library.entry("launch_runs")(ctypes.addressof(record))
    for name, array in memory.items():
        assert (array[len(array) - MARGIN :] == PATTERN).all(), f"{name} has been written beyond its end"
    results = {name: array[: len(array) - MARGIN] for name, array in memory.items()}
    sizes = results["counts"].view(np.uint32).reshape(count, SIZES)
    meshes = None
    if writes_meshes(program):
        rows = results["outputs"].view(np.uint32).reshape(count, mesh_memory(program).size // 4)
        found = mesh_memory(program)
        meshes = [make_mesh(found.layout, s, *rows_of(found, words)) for s, words in zip(sizes[:, :2].tolist(), rows)]
    own = results["payload"].reshape(count, -1)[:, : arguments.payload_bytes] if count else np.zeros((0, 0), np.uint8)
    nothing = np.zeros((0, 0, 4), np.uint32)
    return RunResult(
        nothing,
        np.zeros(0, np.bool_),
        np.zeros(0, np.bool_),
        tasks=sizes if meshes is None else sizes[:0],
        payload=own if meshes is None else np.zeros((0, 0), np.uint8),
        meshes=meshes or (),
        buffers={number: data.view(np.uint8) for number, data in arguments.buffers.items()},
        counters=arguments.counters,
        images={unit: image.texels for unit, image in arguments.images.items()},
    )


def launch_differences(text: str | Program, arguments: Mapping[str, Any], *, lanes: int, cpu: str = "host") -> list[str]:
    """Differences between the results of a draw's kernel and of the interpreter, for a grid of which each workgroup is a run of its own."""
    program = tgsi.parse(text) if isinstance(text, str) else text
    given = dict(arguments)
    grid, payload = given.pop("grid"), np.asarray(given.pop("payload", b"")).tobytes()
    given.pop("fuel", None)
    parts = [Part(grid=grid, first=number, blocks=1, payload=payload) for number in range(prod(grid))]
    expected = tgsi.run(program, engine="interp", **{**arguments, "fuel": FUEL})
    found = launch(program, parts, lanes=lanes, cpu=cpu, fuel=FUEL, **given)
    seen = replace(found, outputs=expected.outputs, alive=expected.alive, exhausted=expected.exhausted, faults=expected.faults)
    if not writes_meshes(program):
        seen = replace(seen, tasks=launched(found.tasks)[0])
    return result_differences(expected, seen)
