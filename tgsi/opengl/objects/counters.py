"""Atomic counters of a program: names, buffers and offsets as its texts state them. (OpenGL 4.6 core, 7.7)"""

from __future__ import annotations

import re
from math import prod

from tgsi.opengl.objects.linked import CounterBuffer, Linked, Uniform
from tgsi.opengl.objects.program import STAGES
from tgsi.opengl.registry import enums as GL

_DECLARED = re.compile(r"layout\s*\(([^)]*)\)\s*uniform\s+(?:highp\s+)?atomic_uint\s*([^;]*);")
_NAME = re.compile(r"(\w+)((?:\s*\[\s*\d+\s*\])*)")


def declared_counters(text: str) -> list[tuple[str, int, int, int]]:
    """Name, binding, first offset in bytes, and elements (0 for no array) of each counter of live code."""
    made: list[tuple[str, int, int, int]] = []
    free: dict[int, int] = {}
    for words, names in _DECLARED.findall(text):
        said = dict(re.findall(r"(\w+)\s*=\s*(\d+)", words))
        binding = int(said.get("binding", 0))
        offset = int(said.get("offset", free.get(binding, 0)))
        for name, sizes in _NAME.findall(names):
            size = prod(map(int, re.findall(r"\d+", sizes))) if sizes else 0
            made.append((name, binding, offset, size))
            offset += 4 * max(size, 1)
        free[binding] = offset
    return made


def find_counters(made: Linked, texts: dict[int, str]) -> None:
    """Add the counters that stages use to the uniforms, and their buffers."""
    for stage, program in made.programs.items():
        used = [item for item in program.declarations if item.file.name == "HWATOMIC"]
        made.counter_bindings |= {item.dimension or 0 for item in used}
        for name, binding, offset, size in declared_counters(texts[stage]) if used else ():
            last = offset // 4 + max(size, 1) - 1
            if not any((item.dimension or 0) == binding and item.first <= last and offset // 4 <= item.last for item in used):
                continue
            title, bit = f"{name}[0]" if size else name, 1 << list(STAGES).index(stage)
            place = next((k for k, item in enumerate(made.counters) if item.binding == binding), len(made.counters))
            if place == len(made.counters):
                made.counters.append(CounterBuffer(binding))
            buffer = made.counters[place]
            buffer.size, buffer.stages = max(buffer.size, offset + 4 * max(size, 1)), buffer.stages | bit
            known = next((item for item in made.uniforms if item.name == title and item.counter >= 0), None)
            if known is None:
                buffer.members.append(len(made.uniforms))
                known = Uniform(title, GL.UNSIGNED_INT_ATOMIC_COUNTER, max(size, 1), counter=place, offset=offset)
                made.uniforms.append(known)
            known.stages |= bit
