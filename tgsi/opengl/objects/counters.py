"""Atomic counters of a program: names, buffers and offsets, as declared in its shaders. (OpenGL 4.6 core, 7.7)"""

from __future__ import annotations

import re
from math import prod

from tgsi.opengl.objects.linked import CounterBuffer, Linked, Uniform
from tgsi.opengl.objects.program import STAGES
from tgsi.opengl.registry import enums as GL

_DECLARED = re.compile(r"layout\s*\(([^)]*)\)\s*uniform\s+(?:highp\s+)?atomic_uint\s*([^;]*);")
_NAME = re.compile(r"(\w+)((?:\s*\[\s*\d+\s*\])*)")


def declared_counters(text: str) -> list[tuple[str, int, int, int]]:
    """Name, binding, first offset in bytes, and array size (0 for no array) of each counter in live code."""
    counters: list[tuple[str, int, int, int]] = []
    free: dict[int, int] = {}
    for words, names in _DECLARED.findall(text):
        said = dict(re.findall(r"(\w+)\s*=\s*(\d+)", words))
        binding = int(said.get("binding", 0))
        offset = int(said.get("offset", free.get(binding, 0)))
        for name, sizes in _NAME.findall(names):
            size = prod(map(int, re.findall(r"\d+", sizes))) if sizes else 0
            counters.append((name, binding, offset, size))
            offset += 4 * max(size, 1)
        free[binding] = offset
    return counters


def find_counters(linked: Linked, texts: dict[int, str]) -> None:
    """Add the used counters to the uniforms, with their buffers."""
    for stage, program in linked.programs.items():
        used = [item for item in program.declarations if item.file.name == "HWATOMIC"]
        linked.counter_bindings |= {item.dimension or 0 for item in used}
        for name, binding, offset, size in declared_counters(texts[stage]) if used else ():
            last = offset // 4 + max(size, 1) - 1
            if not any((item.dimension or 0) == binding and item.first <= last and offset // 4 <= item.last for item in used):
                continue
            title, bit = f"{name}[0]" if size else name, 1 << list(STAGES).index(stage)
            place = next((k for k, item in enumerate(linked.counters) if item.binding == binding), len(linked.counters))
            if place == len(linked.counters):
                linked.counters.append(CounterBuffer(binding))
            buffer = linked.counters[place]
            buffer.size, buffer.stages = max(buffer.size, offset + 4 * max(size, 1)), buffer.stages | bit
            known = next((item for item in linked.uniforms if item.name == title and item.counter >= 0), None)
            if known is None:
                buffer.members.append(len(linked.uniforms))
                known = Uniform(title, GL.UNSIGNED_INT_ATOMIC_COUNTER, max(size, 1), counter=place, offset=offset)
                linked.uniforms.append(known)
            known.stages |= bit
