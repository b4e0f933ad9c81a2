"""Programs that the command line omits: a vertex program for a single fragment program, and vice versa."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tgsi.language.diagnostics import Diagnostic, Fix, Label
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import STAGES
from tgsi.language.interface import Block, Interface, Port, Variable
from tgsi.language.source import Source, Span
from tgsi.language.text.parser import parse
from tgsi.tools.compile.draw.known import attribute_of
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.nearest import nearest

if TYPE_CHECKING:
    from tgsi.language.program import Program

_VARYINGS = ("GENERIC", "COLOR", "BCOLOR", "TEXCOORD", "FOG", "NORMAL")
_MAIN_IMAGE = re.compile(r"\bvoid\s+mainImage\s*\(")
_HEAD = """#version 330 core
uniform vec3 iResolution; uniform float iTime, iTimeDelta, iFrameRate; uniform int iFrame; uniform vec4 iMouse, iDate;
uniform vec3 iChannelResolution[4]; uniform sampler2D iChannel0, iChannel1, iChannel2, iChannel3;
out vec4 shownColor;
"""
_TAIL = "\nvoid main() { shownColor = vec4(0.0, 0.0, 0.0, 1.0); mainImage(shownColor, gl_FragCoord.xy); }\n"


def is_main_image(text: str) -> bool:
    """True for a fragment shader in the form of Shadertoy: it has mainImage and no main."""
    return _MAIN_IMAGE.search(text) is not None and not re.search(r"\bvoid\s+main\s*\(", text) and "#version" not in text


def whole_image(text: str) -> str:
    """A whole fragment shader around a text with mainImage."""
    return _HEAD + text + _TAIL


def within_text(findings: Sequence[Diagnostic], text: str, name: str) -> tuple[Diagnostic, ...]:
    """Findings about `whole_image`, placed in the text of the user."""
    source = Source(text, name)

    def moved(span: Span) -> Span:
        start, end = (min(max(place - len(_HEAD), 0), len(text)) for place in (span.start, span.end))
        return Span(source, start, end) if span.source.text.startswith(_HEAD) else span

    return tuple(
        replace(
            item,
            labels=tuple(Label(moved(label.span), label.text) for label in item.labels),
            fixes=tuple(Fix(moved(fix.span), fix.text) for fix in item.fixes),
        )
        for item in findings
    )


def vertex_for(fragment: Program) -> Program:
    """A vertex program that places the mesh by a matrix `mvp`, and copies an attribute to each input of a fragment program."""
    ports = {port.semantic: port for port in fragment.interface.inputs.values()} if fragment.interface is not None else {}
    lines = ["VERT", "DCL IN[0]", "DCL OUT[0], POSITION", "DCL CONST[0..3]", "DCL TEMP[0]"]
    copies: list[str] = []
    inputs = {"position": Port(name="position", type="vec3", location=0)}
    for item in fragment.info.inputs:
        if item.semantic.name not in _VARYINGS or not item.usage_mask:
            continue
        number = len(inputs)
        semantic = str(item.semantic)
        port = ports.get(semantic)
        name = port.name if port is not None and port.name not in inputs else semantic
        width = max(item.usage_mask.bit_length(), 1)
        kind = port.type if port is not None and port.registers == 1 else "float" if width == 1 else f"vec{width}"
        lines += [f"DCL IN[{number}]", f"DCL OUT[{number}], {semantic}"]
        copies.append(f"MOV OUT[{number}], IN[{number}]")
        inputs[name] = Port(name=name, type=kind, location=number)
    lines += ["MUL TEMP[0], CONST[0], IN[0].xxxx", "MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]"]
    lines += ["MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]", *copies, "ADD OUT[0], TEMP[0], CONST[3]\nEND"]
    matrix = Block(name="", binding=0, size=64, members={"mvp": Variable(name="mvp", scalar="float", rows=4, columns=4)})
    return replace(parse("\n".join(lines), name="<default vertex shader>"), interface=Interface(uniforms=matrix, inputs=inputs))


def fragment_for(last: Program, wanted: str | None) -> tuple[Program, str]:
    """A fragment program that shows an output of the stage before it as a color, and words about it.

    UsageError: `wanted`, from ``--show``, is not an output.
    """
    shown = _shown_outputs(last)
    if wanted is not None and wanted not in shown:
        hint = nearest(wanted, list(shown)) or (f"it writes {', '.join(shown)}" if shown else "it writes POSITION alone")
        raise UsageError(f"--show {wanted}: the {last.processor.name} program has no such output; {hint}")
    if not shown:
        text = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {0.9, 0.6, 0.3, 1.0}\nMOV OUT[0], IMM[0]\nEND\n"
        return parse(text, name="<default fragment shader>"), "one color: the program has no output but POSITION"
    order = {"color": 0, "normal": 1, "texcoord": 2, None: 3, "position": 4}
    name = wanted or min(shown, key=lambda item: order.get(attribute_of(item), 3))
    semantic, mask = shown[name]
    scaled = attribute_of(name) in ("normal", "tangent")
    lines = [
        "FRAG",
        f"DCL IN[0], {semantic}, PERSPECTIVE",
        "DCL OUT[0], COLOR",
        "IMM[0] FLT32 {0.5, 1.0, 0.0, 0.0}",
        "MOV OUT[0], IMM[0].zzzy",
    ]
    channels = "".join(letter for k, letter in enumerate("xyz") if mask >> k & 1) or "x"
    lines.append(f"MAD OUT[0].{channels}, IN[0], IMM[0].xxxx, IMM[0].xxxx\nEND" if scaled else f"MOV OUT[0].{channels}, IN[0]\nEND")
    others = [item for item in shown if item != name]
    more = f"; --show takes {', '.join(others)}, too" if others else ""
    return parse("\n".join(lines), name="<default fragment shader>"), f"{name}{' * 0.5 + 0.5' if scaled else ''} as a color{more}"


def _shown_outputs(last: Program) -> dict[str, tuple[Any, int]]:
    """Outputs of numbers that a fragment program can read, by name: semantic and channels."""
    ports = {port.semantic: port for port in last.interface.outputs.values()} if last.interface is not None else {}
    outputs: dict[str, tuple[Any, int]] = {}
    for item in last.info.outputs:
        port = ports.get(str(item.semantic))
        if item.semantic.name in _VARYINGS and item.semantic.name != "BCOLOR" and (port is None or port.type[0] not in "iud"):
            digits = port.type[-1] if port is not None and port.type[:3] == "vec" else ""
            mask = (1 << int(digits)) - 1 if digits else item.usage_mask
            outputs.setdefault(port.name if port is not None else str(item.semantic), (item.semantic, mask))
    return outputs


def draws(programs: Sequence[Program]) -> str:
    """Kind of picture that some programs make: "vertices", "meshes" or "grid". UsageError for programs that make none."""
    stages = [program.processor for program in programs]
    if Processor.COMP in stages:
        if len(stages) > 1:
            raise UsageError("--draw: a compute program draws alone, and more shaders were given")
        return "grid"
    for stage in stages:
        other = STAGES[stage].needs
        if other is not None and other not in stages:
            raise UsageError(f"--draw: a {stage.name} program needs a {other.name} program after it")
    if Processor.MESH in stages:
        return "meshes"
    if Processor.VERT not in stages and stages != [Processor.FRAG]:
        raise UsageError(f"--draw: a {stages[0].name} program needs a vertex program before it")
    return "vertices"
