"""A link that was decoded from a device's tables, written out as two programs that say the same in instructions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from linkage.usage import interface_of
from tests.property.decoded_links import Value
from tests.property.linked_pairs import Pair
from tgsi.language.facts.enums import CHANNELS, File
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.text.parser import parse

Values = Mapping[tuple[int, int], tuple[Value, Value]]
FIRST_FREE = 100
"""GENERIC indices that carry the inputs, so that no semantic of the pair plays a part."""


@record
class Written:
    """Two programs, and the bits of the inputs that points replace by their coordinate."""

    vertex: Program
    fragment: Program
    sprites: int


def write_out(pair: Pair, values: Values) -> Written:
    """The pair with every component of every input moved to where the values say, and nothing left to the link.

    Each input has a semantic of its own, except colors: the rasterizer exchanges COLOR and BCOLOR by the side of a polygon.
    """
    inputs = interface_of(pair.fragment).varyings
    fragment = str(pair.fragment)
    outputs: dict[Semantic, dict[int, Value]] = {}
    sprites = 0
    for item in inputs:
        read = {c: values[item.register, c] for c in range(4) if item.usage_mask >> c & 1}
        is_sprite = {front.is_sprite for front, _ in read.values()}
        assert len(is_sprite) == 1, "a whole input becomes the coordinate of a point, or nothing of it"
        if item.semantic.name == "COLOR":
            carrier = item.semantic
            outputs.setdefault(Semantic("BCOLOR", carrier.index), {}).update({c: back for c, (_, back) in read.items()})
        else:
            carrier = Semantic("GENERIC", item.register if True in is_sprite else FIRST_FREE + item.register)
        if True in is_sprite:
            sprites |= 1 << item.register
        else:
            outputs.setdefault(carrier, {}).update({c: front for c, (front, _) in read.items()})
        fragment = re.sub(rf"(DCL IN\[{item.register}\]), \w+(\[\d+\])?", rf"\1, {carrier}", fragment)
    return Written(parse(_vertex(pair.vertex, outputs)), parse(fragment), sprites)


def _vertex(program: Program, outputs: Mapping[Semantic, Mapping[int, Value]]) -> str:
    """The vertex program with temporaries for its outputs, and moves from these to the outputs that are wanted."""
    count = program.file_size(File.OUT)
    position = interface_of(program).by_semantic[Semantic("POSITION")]
    lines = [re.sub(r" :\d+$", "", re.sub(r"^\s*\d+: ", "", line)) for line in str(program).splitlines()]
    head = [line for line in lines if line.startswith(("VERT", "DCL IN", "IMM", "PROPERTY"))]
    constants = sum(line.startswith("IMM") for line in head)
    body = [line.replace("OUT[", "TEMP[") for line in lines if line not in head and not line.startswith("DCL") and line != "END"]
    head.insert(1, f"DCL TEMP[0..{count - 1}]")
    head.insert(1, "DCL OUT[0], POSITION")
    head += [f"IMM[{constants}] FLT32 {{0.0, 1.0, 0.0, 0.0}}"]
    head += [f"MOV TEMP[{i}], IMM[{constants}].xxxx" for i in range(count)]
    moves = [f"MOV OUT[0], TEMP[{position}]"]
    for register, (semantic, channels) in enumerate(outputs.items(), 1):
        head.insert(2, f"DCL OUT[{register}], {semantic}")
        for channel, value in channels.items():
            if value.register is None:
                source = f"IMM[{constants}].{'xy'[int(value.number or 0)] * 4}"
            else:
                source = f"TEMP[{value.register}].{CHANNELS[value.channel] * 4}"
            moves.append(f"MOV OUT[{register}].{CHANNELS[channel]}, {source}")
    return "\n".join([*head, *body, *moves, "END", ""])
