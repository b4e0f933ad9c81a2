"""Generated pairs of programs to link: any semantics, ranges, partial writes, reads of single components, link states and options."""

from __future__ import annotations

import random

from linkage.options import LinkOptions, LinkState
from linkage.usage import SPECIAL_INPUTS
from tgsi.language.facts.enums import CHANNELS
from tgsi.language.facts.semantics import MESH_SEMANTICS, SEMANTICS, Semantic
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.text.parser import parse

INDICES = (0, 1, 2, 3, 7, 8, 15, 31, 32, 63, 64, 127, 128, 136, 216, 217, 218, 219, 255)
COMMON = ("GENERIC", "GENERIC", "GENERIC", "TEXCOORD", "COLOR", "BCOLOR", "FOG")
ANY = tuple(sorted(SEMANTICS.keys() - MESH_SEMANTICS))
MODES = ("LINEAR", "PERSPECTIVE", "CONSTANT", "PERSPECTIVE", "PERSPECTIVE")


@record
class Pair:
    """Two programs, and what else their link depends on."""

    vertex: Program
    fragment: Program
    state: LinkState
    options: LinkOptions


def semantic(choose: random.Random, rare: float) -> Semantic:
    """A semantic; with the probability `rare` any that the language has, with any index."""
    if choose.random() < rare:
        return Semantic(choose.choice(ANY), choose.choice((0, 0, 1, 2)))
    name = choose.choice(COMMON)
    if name == "GENERIC":
        return Semantic(name, choose.choice(INDICES) if choose.random() < 0.6 else choose.randrange(6))
    return Semantic(name, 0 if name == "FOG" else choose.randrange(8 if name == "TEXCOORD" else 2))


def _mask(choose: random.Random) -> str:
    return "".join(c for c in CHANNELS if choose.random() < 0.6) or "w"


def vertex_text(choose: random.Random, semantics: list[Semantic], partial: float = 0.3) -> str:
    """A vertex program with an output for each semantic. Registers are in any order; some outputs are written never, or on some paths."""
    lines = ["VERT", "DCL IN[0..1]"]
    writes = []
    for register, item in enumerate(semantics):
        lines.append(f"DCL OUT[{register}], {item}")
        mask = "." + _mask(choose) if choose.random() < partial else ""
        values = ", ".join(f"{choose.uniform(0.05, 0.95):.3f}" for _ in range(4))
        lines.append(f"IMM[{register}] FLT32 {{{values}}}")
        write = (
            f"MOV OUT[{register}], IN[0]" if item == Semantic("POSITION") else f"MAD OUT[{register}]{mask}, IN[0], IMM[{register}], IN[1]"
        )
        if mask and choose.random() < 0.3:
            writes += ["IF IN[1].xxxx", write, "ENDIF"]
        elif not mask or choose.random() < 0.9:
            writes.append(write)
    return "\n".join([*lines, *writes, "END", ""])


def geometry_text(vertex: str) -> str:
    """A geometry program with the outputs of a vertex program, which it computes from its first vertex and emits once."""
    head = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    lines = vertex.replace(" IN[", " IN[0][").replace("DCL IN[0][0..1]", "DCL IN[][0..1]").splitlines()[1:-1]
    count = sum(line.startswith("IMM") for line in lines)
    after = max(i for i, line in enumerate(lines) if line.startswith(("DCL", "IMM"))) + 1
    lines.insert(after, f"IMM[{count}] UINT32 {{0, 0, 0, 0}}")
    return head + "\n".join([*lines, f"EMIT IMM[{count}].xxxx", "END", ""])


def fragment_text(choose: random.Random, semantics: list[Semantic]) -> str:
    """A fragment program that reads some components of an input for each semantic; neighbors may be declared as one range."""
    lines = ["FRAG"]
    for register, item in enumerate(semantics):
        mode = "" if item.name in ("FACE", "PRIM_ID") else ", " + choose.choice(MODES)
        mode = ", COLOR" if item.name == "COLOR" and choose.random() < 0.3 else mode
        lines.append(f"DCL IN[{register}], {item}{mode}")
    lines += ["DCL OUT[0], COLOR", "DCL TEMP[0]", "IMM[0] FLT32 {0.5, 0.5, 0.5, 0.5}"]
    for register, _ in enumerate(semantics):
        if choose.random() < 0.9:
            swizzle = "".join(choose.choice(CHANNELS) for _ in range(4)) if choose.random() < 0.4 else "xyzw"
            lines.append(f"MAD TEMP[0], TEMP[0], IMM[0], IN[{register}].{swizzle}")
    return "\n".join([*lines, "MOV OUT[0], TEMP[0]", "END", ""])


def as_geometry(fragment: Program) -> str:
    """A geometry program that reads of its first vertex what a fragment program reads; it has the inputs that no rasterizer makes."""
    head = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    lines = [line.strip().partition(": ")[2] or line for line in str(fragment).splitlines()[1:]]
    kept = []
    for line in lines:
        if line.startswith("DCL IN["):
            name = line.split(", ")[1]
            kept.append(f"DCL IN[]{line[6 : line.index(']') + 1]}, {name if name not in SPECIAL_INPUTS else 'GENERIC[200]'}")
        elif line != "END":
            kept.append(line.replace(" IN[", " IN[0][").replace("DCL OUT[0], COLOR", "DCL OUT[0], POSITION"))
    return head + "\n".join([*kept, "IMM[1] UINT32 {0, 0, 0, 0}", "EMIT IMM[1].xxxx", "END", ""])


def semantics_of_pair(choose: random.Random, rare: float) -> tuple[list[Semantic], list[Semantic]]:
    """Outputs, in any order, each once, and inputs, of which most have an output; an input may stand twice."""
    inputs = [semantic(choose, rare) for _ in range(choose.randint(1, 9))]
    outputs = [item for item in inputs if choose.random() < 0.75] + [semantic(choose, rare) for _ in range(choose.randint(0, 5))]
    outputs = list(dict.fromkeys([Semantic("POSITION"), *outputs]))
    choose.shuffle(outputs)
    if choose.random() < 0.85:
        inputs = list(dict.fromkeys(inputs))
    if choose.random() < 0.3:
        inputs.insert(choose.randint(0, len(inputs)), Semantic(choose.choice(("POSITION", "FACE", "PCOORD"))))
    return outputs, inputs


def link_state(choose: random.Random, outputs: list[Semantic], inputs: list[Semantic]) -> LinkState:
    """A link state of one or two entries, some of which name outputs that there are."""
    varyings = [item for item in inputs if item.name not in SPECIAL_INPUTS]
    chosen = choose.sample(varyings, min(len(varyings), choose.randint(1, 2)))
    return LinkState({to: choose.choice(outputs) if choose.random() < 0.8 else semantic(choose, 0) for to in chosen})


def pair(seed: int, *, rare: float = 0.15, geometry: bool = False) -> Pair:
    """The pair of a number. `geometry`: the first program is a geometry program instead of a vertex program."""
    choose = random.Random(seed)
    outputs, inputs = semantics_of_pair(choose, rare)
    vertex, fragment = vertex_text(choose, outputs), fragment_text(choose, inputs)
    vertex = geometry_text(vertex) if geometry else vertex
    state = link_state(choose, outputs, inputs) if choose.random() < 0.3 else LinkState()
    options = LinkOptions(
        sprite_coord_enable=choose.choice((0, 0, 0, 1, 0b1011)),
        sprite_lower_left=choose.random() < 0.2,
        light_twoside=choose.random() < 0.3,
        flatshade=choose.random() < 0.2,
        ids=choose.choice(("auto", "auto", "automatic", "configured")),
    )
    return Pair(parse(vertex, name=f"{seed}.vert"), parse(fragment, name=f"{seed}.frag"), state, options)
