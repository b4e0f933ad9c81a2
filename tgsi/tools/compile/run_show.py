"""Output of ``--run``: text, JSON, or arrays in a .npz file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgsi.tools.compile.run_words import MOST, counted, integers, memory_lines, vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from backends.run.result import RunResult, TraceStep
    from backends.run.textures import TextureData
    from tgsi.language.program import Program


def as_text(program: Program, result: RunResult, images: dict[int, TextureData], grid: tuple[int, int, int] = (1, 1, 1)) -> str:
    """Text output: the trace, the output registers of each invocation, then all memory.

    Geometry programs have the vertices of each stream instead of registers, task and mesh programs the results of each workgroup.
    """
    return "".join(f"{line}\n" for line in _lines(program, result, images, grid))


def _lines(program: Program, result: RunResult, images: dict[int, TextureData], grid: tuple[int, int, int]) -> Iterator[str]:
    import numpy as np

    from tgsi.language.facts.enums import Processor
    from tgsi.language.facts.stages import STAGES
    from tgsi.tools.compile.run_meshes import workgroup_lines

    for step in result.trace:
        yield from _step(step)
    if program.processor is Processor.GEOM:
        for stream, (vertices, strips) in enumerate(zip(result.emitted, result.strips)):
            if len(vertices) or stream == 0:
                vertex_count, count = counted(len(vertices), "vertex", "vertices"), counted(len(strips), "primitive", "primitives")
                yield f"stream {stream}: {vertex_count} in {count}"
            owners = np.repeat(np.arange(len(strips)), strips)
            for number, registers in enumerate(vertices):
                for register, words in enumerate(registers):
                    yield f"primitive {owners[number]}, vertex {number}: OUT[{register}]  {vector(words)}"
    elif STAGES[program.processor].is_mesh:
        yield from workgroup_lines(program, result, grid)
    else:
        for invocation, registers in enumerate(result.outputs):
            if not result.alive[invocation]:
                yield f"{invocation}: killed"
                continue
            for register, words in enumerate(registers):
                yield f"{invocation}: OUT[{register}]  {vector(words)}"
    for number, data in result.buffers.items():
        yield from memory_lines(f"BUFFER[{number}]", data)
    for number, words in result.counters.items():
        yield from memory_lines(f"HWATOMIC[{number}]", words.view(np.uint8))
    for name, data in result.memory.items():
        yield from memory_lines(f"MEMORY {name}", data)
    for unit, texels in result.images.items():
        yield from _image(unit, texels, images[unit])


def _image(unit: int, texels: NDArray[np.uint8], image: TextureData) -> Iterator[str]:
    from backends.formats.arrays import unpack

    layers, height, width, _ = texels.shape
    yield f"IMAGE[{unit}]: {image.format.name}, {width} x {height} x {layers}"
    values = unpack(image.format, texels.reshape(-1)).tolist()
    for place, color in enumerate(values[:MOST]):
        x, y, z = place % width, place // width % height, place // (width * height)
        yield f"  ({x}, {y}, {z}): {'  '.join(f'{value:.9g}' for value in color)}"
    if len(values) > MOST:
        yield f"  and {len(values) - MOST} more texels (--format json or -o FILE.npz has them all)"


def _step(step: TraceStep) -> Iterator[str]:
    from tgsi.language.printer import print_instruction

    lanes = "all" if step.active.all() else ", ".join(ranges([k for k, on in enumerate(step.active.tolist()) if on])) or "none"
    yield f"{step.number:3}: {print_instruction(step.instruction)}    [active: {lanes}]"
    show = vector if {"float", "double"} & {*step.instruction.opcode.dst_types} else integers
    for file, register, words in step.writes:
        for lane, row in enumerate(words):
            if step.active[lane]:
                yield f"       {lane}: {file.name}[{register}]  {show(row)}"


def ranges(numbers: list[int]) -> Iterator[str]:
    """Format ascending numbers as ranges: 0-3, 7."""
    first = last = -2
    for number in [*numbers, -1]:
        if number == last + 1:
            last = number
            continue
        if first >= 0:
            yield str(first) if first == last else f"{first}-{last}"
        first = last = number


def as_json(result: RunResult, images: dict[int, TextureData]) -> str:
    """JSON object of the results. Words are whole numbers, textures are bytes.

    Parts without content are omitted, except `outputs` and `alive`.
    """
    record: dict[str, Any] = {"outputs": result.outputs.tolist(), "alive": result.alive.tolist()}
    if result.exhausted.any():
        record["exhausted"] = result.exhausted.tolist()
    if result.emitted:
        record["emitted"] = [vertices.tolist() for vertices in result.emitted]
        record["strips"] = [lengths.tolist() for lengths in result.strips]
    for name, items in (("buffers", result.buffers), ("memory", result.memory)):
        if items:
            record[name] = {str(key): data.view("uint32").tolist() for key, data in items.items()}
    if len(result.tasks):
        record |= {"tasks": result.tasks.tolist(), "payload": result.payload.tolist()}
    if result.meshes:
        record["meshes"] = [
            {name: getattr(mesh, name).tolist() for name in ("vertices", "indices", "primitives")} | {"faults": list(mesh.faults)}
            for mesh in result.meshes
        ]
    if result.faults:
        record["faults"] = list(result.faults)
    if result.counters:
        record["counters"] = {str(key): words.tolist() for key, words in result.counters.items()}
    if result.images:
        record["images"] = {
            str(unit): {"format": images[unit].format.name, "shape": list(texels.shape[:3]), "bytes": texels.tolist()}
            for unit, texels in result.images.items()
        }
    if result.trace:
        record["trace"] = [_step_as_json(step) for step in result.trace]
    return json.dumps(record) + "\n"


def _step_as_json(step: TraceStep) -> dict[str, Any]:
    from tgsi.language.printer import print_instruction

    writes = [{"file": file.name, "register": register, "words": words.tolist()} for file, register, words in step.writes]
    return {"number": step.number, "instruction": print_instruction(step.instruction), "active": step.active.tolist(), "writes": writes}


def save_arrays(path: Path, result: RunResult) -> None:
    """Save everything but the trace as arrays: outputs, alive, exhausted, emitted_0, strips_0, buffer_0, counters_0, image_0,
    memory_GLOBAL, tasks, payload, vertices_0, indices_0, primitives_0, ...
    """
    import numpy as np

    arrays: dict[str, Any] = {"outputs": result.outputs, "alive": result.alive, "exhausted": result.exhausted}
    arrays |= {f"emitted_{k}": data for k, data in enumerate(result.emitted)} | {
        f"strips_{k}": data for k, data in enumerate(result.strips)
    }
    for name, items in (("buffer", result.buffers), ("counters", result.counters), ("image", result.images), ("memory", result.memory)):
        arrays |= {f"{name}_{key}": data for key, data in items.items()}
    if len(result.tasks):
        arrays |= {"tasks": result.tasks, "payload": result.payload}
    for number, mesh in enumerate(result.meshes):
        arrays |= {f"{name}_{number}": getattr(mesh, name) for name in ("vertices", "indices", "primitives")}
    with path.open("wb") as file:
        np.savez(file, **arrays)
