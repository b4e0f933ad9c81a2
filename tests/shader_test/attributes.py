"""Vertex data of a file as vertex elements and buffers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.shader_test.values import number

_STATED = re.compile(r"\blocation\s*=\s*(\d+)[^;()]*\)[^;()]*\bin\b[^;]*?(\w+)\s*(?:\[[^;]*)?;")


def vertex_data(lines: list[str]) -> dict[str, NDArray[Any]]:
    """Columns of the vertex data: attribute, with its element and column -> numbers of each vertex."""
    if not lines:
        return {}
    heads = lines[0].split()
    rows = [line.split() for line in lines[1:]]
    columns: dict[str, NDArray[Any]] = {}
    at = 0
    for head in heads:
        parts = head.split("/")
        scalar = {"double": "double", "float": "float", "half": "float"}.get(parts[1], "int" if parts[1][0] != "u" else "uint")
        shape = re.search(r"(\d)(?:x(\d))?$", parts[2])
        matrix = "mat" in parts[2]
        size = int((shape[2] or shape[1]) if matrix else shape[1]) if shape else 1
        place = int(parts[3]) if len(parts) > 3 else 0
        data = [[number(word, scalar) for word in row[at : at + size]] for row in rows]
        columns[f"{parts[0]}/{place}"] = np.array(data, np.float64 if scalar in ("float", "double") else np.int64)
        at += size
    return columns


def attributes(program: Any, columns: dict[str, NDArray[Any]], text: str) -> tuple[list[dict[str, Any]], list[NDArray[Any]]]:
    """Vertex elements and their buffers for the inputs of a vertex program, whose text says which location a number means."""
    stated = {name: int(at) for at, name in _STATED.findall(text)}
    columns = {name if "/" in name else f"{name}/0": data for name, data in columns.items()}
    elements: dict[int, tuple[str, NDArray[Any]]] = {}
    for port in program.interface.inputs.values():
        base = port.type.split("[")[0]
        wide = base.startswith(("d", "i64", "u64"))
        inside = int(re.search(r"mat(\d)", base)[1]) if "mat" in base else 1  # type: ignore[index]
        count = int(np.prod([int(item) for item in re.findall(r"\[(\d+)\]", port.type)]))
        step = port.registers // (inside * count)
        for item in range(count):
            for column in range(inside):
                location = stated.get(port.name, port.location)
                names = [f"{port.name}/{column}", f"{location}/{column}"] if count == 1 else [f"{port.name}/{item * inside + column}"]
                names += [f"{port.name}[{item}]/{column}"]
                if port.location == 0 and "piglit_vertex" not in program.interface.inputs:
                    names.append("piglit_vertex/0")
                data = next((columns[name] for name in names if name in columns), None)
                if data is not None:
                    at = port.location + (item * inside + column) * step
                    _put(elements, at, data, base, wide, step)
    buffers: list[NDArray[Any]] = []
    made: list[dict[str, Any]] = []
    for location in range(max(elements, default=-1) + 1):
        name, data = elements.get(location, ("R32G32B32A32_FLOAT", np.array([[0, 0, 0, 1]] * 64, np.float32)))
        made.append({"src_offset": 0, "src_format": name, "vertex_buffer_index": len(buffers)})
        buffers.append(data)
    return made, buffers


def _put(elements: dict[int, tuple[str, NDArray[Any]]], at: int, data: NDArray[Any], base: str, wide: bool, step: int) -> None:
    if wide:
        words = np.ascontiguousarray(data.astype(np.float64 if base.startswith("d") else np.int64)).view(np.uint32)
        for place in range(step):
            part = np.ascontiguousarray(words[:, 4 * place : 4 * place + 4])
            if part.shape[1]:
                elements[at + place] = _format(part.shape[1], "UINT"), part
    elif base.startswith(("i", "u")):
        letter = "SINT" if base.startswith("i") else "UINT"
        elements[at] = _format(data.shape[1], letter), (data.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
    else:
        elements[at] = _format(data.shape[1], "FLOAT"), data.astype(np.float32)


def _format(channels: int, kind: str) -> str:
    return "".join(f"{letter}32" for letter in "RGBA"[:channels]) + f"_{kind}"
