"""Facts about textures and samplers that do not fit the instructions that sample them: dimensions, types, comparisons."""

from __future__ import annotations

from collections.abc import Iterator

from backends.abi.keys import GALLIUM_TARGETS
from backends.device.shader import Shader
from backends.device.stage_state import StageState
from backends.pipe.enums import TexCompare, TextureTarget
from tgsi.language.facts.enums import File, ReturnType
from tgsi.language.program import Program
from tgsi.validation.findings import Finding

_FLAT = {TextureTarget.TEXTURE_RECT: TextureTarget.TEXTURE_2D}
_KINDS = {"float": "floats", "uint": "unsigned integers", "sint": "signed integers"}
_RETURNS = {ReturnType.UINT: "uint", ReturnType.SINT: "sint"}


def mismatches(stage: StageState, shader: Shader, who: str) -> Iterator[Finding]:
    """Views and samplers whose target, type or comparison differs from that of the instructions."""
    for unit, targets in sorted(sampled(shader.program).items()):
        view = stage.views[unit] if unit < len(stage.views) else None
        sampler = stage.samplers[unit] if unit < len(stage.samplers) else None
        if view is None:
            continue
        for target in sorted(targets):
            plain = target.removeprefix("SHADOW")
            wanted, given = GALLIUM_TARGETS.get(plain, view.key.target), view.key.target
            if _FLAT.get(wanted, wanted) is not _FLAT.get(given, given):
                text = f"{who} samples texture unit {unit} as {target}, and its view is a {given.name}: the view's texels are misread"
                yield Finding("target", (shader.serial, unit, target, given), text)
            if sampler is None:
                continue
            compares = sampler.key.compare_mode is not TexCompare.NONE
            if target.startswith("SHADOW") and not compares and view.key.format.has_depth:
                text = f"{who} samples texture unit {unit} as {target}, and its sampler does not compare: compare_mode='R_TO_TEXTURE'"
                yield Finding("compare", (shader.serial, unit, "shadow"), text)
            if compares and not target.startswith("SHADOW") and view.key.format.has_depth:
                text = f"the sampler of texture unit {unit} compares, and {who} samples it as {target}: use SHADOW{target}"
                yield Finding("compare", (shader.serial, unit, "plain"), text)
        yield from _type(shader, unit, view.key.format.kind, who)


def sampled(program: Program) -> dict[int, set[str]]:
    """Units that instructions sample by number, with the targets that they name."""
    found: dict[int, set[str]] = {}
    for item in program.instructions:
        for operand in item.src:
            register = operand.register
            if register.file is File.SAMP and register.indirect is None and item.texture is not None:
                found.setdefault(register.index, set()).add(item.texture)
    return found


def _type(shader: Shader, unit: int, kind: str, who: str) -> Iterator[Finding]:
    """A view of integers that is declared to give floats, or the other way."""
    for item in shader.program.declared(File.SVIEW):
        if not item.covers(unit) or item.view is None:
            continue
        declared = _RETURNS.get(item.view.types[0], "float")
        if declared != kind and "float" in (declared, kind):
            text = (
                f"SVIEW[{unit}] of {who} is declared to give {_KINDS[declared]}, and the texture has {_KINDS[kind]}: its bits are misread"
            )
            yield Finding("type", (shader.serial, unit, kind), text)
