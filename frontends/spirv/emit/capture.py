"""Transform feedback of the text (xfb_offset) as Gallium's stream output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from frontends.spirv.emit import chain, variables
from frontends.spirv.emit.memory import words_of
from frontends.spirv.emit.places import Place, Registers, Varying
from frontends.spirv.emit.state import State
from frontends.spirv.module.errors import Op
from frontends.spirv.module.types import MAX_WORDS, Array, Pointer, Struct, name
from tgsi.language.facts.enums import File
from tgsi.language.record import record

BUFFERS = 4
"""Largest number of stream output buffers, as in Gallium."""

Decorations = Mapping[str, list[int]]


@record(kw_only=True)
class Run:
    """Channels of a register that go to words of a buffer, side by side."""

    register: int
    channel: int
    count: int
    buffer: int
    word: int
    stream: int


def captured(s: State) -> list[Run]:
    """The channels that outputs of the module stream out. All of these outputs are declared, even if nothing writes them."""
    runs: list[Run] = []
    for id in s.entry.interface:
        op = s.tables.globals.get(id)
        kind = None if op is None else s.tables.types.get(op.type, op)
        if op is not None and isinstance(kind, Pointer) and kind.storage == "Output":
            own = s.tables.decorations.get(id, {})
            members = s.tables.member_decorations
            inside = [item for (struct, _), item in members.items() if "Offset" in item and _holds(s, kind, struct)]
            if "XfbBuffer" in own or any("XfbBuffer" in item for item in inside):
                runs += _parts(s, variables.root(s, id, op), own, 0, op)
    return runs


def _holds(s: State, kind: Pointer, struct: int) -> bool:
    target = s.tables.types.get(kind.target)
    while isinstance(target, Array):
        target = target.element
    return isinstance(target, Struct) and target.id == struct


def _parts(s: State, place: Place, own: Decorations, element: int, op: Op) -> Iterator[Run]:
    """The runs of a variable, member by member of a block. Each block of an array goes to its own buffer."""
    if place.kind.words >= MAX_WORDS:
        s.fail("M023", f"an output of type {name(place.kind)} is too large", op)
    if isinstance(place, Varying) and isinstance(place.kind, Array):
        for number in range(place.kind.size):
            yield from _parts(s, chain.step(s, place, number, op), own, element * place.kind.size + number, op)
    elif isinstance(place, Varying) and isinstance(place.kind, Struct):
        for number in range(len(place.kind.members)):
            decorations = {**own, "Offset": [], **s.tables.member_decorations.get((place.kind.id, number), {})}
            if decorations["Offset"]:
                yield from _runs(chain.step(s, place, number, op), decorations, element)
    elif "Offset" in own:
        yield from _runs(place, own, element)


def _runs(place: Place, found: Decorations, element: int) -> Iterator[Run]:
    if not isinstance(place, Registers):
        return
    buffer = (found.get("XfbBuffer") or [0])[0] + element
    stream = (found.get("Stream") or [0])[0]
    first = word = found["Offset"][0] // 4
    words = words_of(place)
    while word - first < len(words):
        register, channel = words[word - first]
        count = 1
        while word - first + count < len(words) and words[word - first + count] == (register, channel + count):
            count += 1
        yield Run(register=place.index + register, channel=channel, count=count, buffer=buffer, word=word, stream=stream)
        word += count


def stream_output(s: State, runs: list[Run], numbers: Mapping[tuple[File, int], int]) -> dict[str, Any] | None:
    """Stream output in the form of `create_vs_state`, with the program's register numbers. None without any."""
    if not runs:
        return None
    last = max(run.buffer for run in runs)
    if last >= BUFFERS:
        s.fail("M023", f"outputs are streamed to the buffer {last}; the last one is {BUFFERS - 1}")
    strides = [0] * (last + 1)
    for run in runs:
        strides[run.buffer] = max(strides[run.buffer], run.word + run.count)
    every = [s.tables.decorations.get(id, {}) for id in s.entry.interface] + list(s.tables.member_decorations.values())
    for found in every:
        if "XfbStride" in found and "XfbBuffer" in found and found["XfbBuffer"][0] < len(strides):
            strides[found["XfbBuffer"][0]] = found["XfbStride"][0] // 4
    outputs = tuple(
        {
            "register_index": numbers[File.OUT, run.register],
            "start_component": run.channel,
            "num_components": run.count,
            "output_buffer": run.buffer,
            "dst_offset": run.word,
            "stream": run.stream,
        }
        for run in runs
    )
    return {"stride": tuple(strides), "output": outputs}
