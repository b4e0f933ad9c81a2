"""Rules of texture operands: the target must be present, and match the declaration of the sampler view."""

from __future__ import annotations

from passes.validate.context import Context
from tgsi.language.diagnostics import Fix, Label
from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Declaration, Instruction, MemoryAccess, RegisterRef

_NO_ACCESS = MemoryAccess()


def check(context: Context) -> None:
    """Check V050 to V055."""
    items = [
        item for item in context.unusual if item.texture is not None or item.memory is not None or item.offsets or item.opcode.is_texture
    ]
    views = _views(context) if items else {}
    for item in items:
        if item.opcode.is_texture:
            _check_target(context, item, views)
        elif item.texture is not None:
            context.error("V050", f"{item.opcode.name} takes no texture target", item)
        if item.offsets and not item.opcode.has_offsets:
            context.error("V052", f"{item.opcode.name} takes no texture offsets", item, hint="leave them out")
        if len(item.offsets) > 4:
            context.error("V052", f"at most four texture offsets, {len(item.offsets)} given", item)
        if item.memory is not None and (not item.opcode.has_memory or item.memory.target not in TARGETS):
            context.error("V053", f"{item.opcode.name} has a wrong memory access", item)
        elif item.memory is not None and not item.dst and not item.src and item.memory != _NO_ACCESS:
            context.error("V053", f"{item.opcode.name} names no memory, so it takes no words of a memory access", item)


def _views(context: Context) -> dict[int, Declaration]:
    views: dict[int, Declaration] = {}
    for item in context.program.declared(File.SVIEW):
        for index in range(item.first, min(item.last, item.first + 127) + 1):
            views.setdefault(index, item)
    return views


def _check_target(context: Context, item: Instruction, views: dict[int, Declaration]) -> None:
    name = item.opcode.name
    if item.texture is None or item.texture not in TARGETS:
        context.error("V050", f"{name} needs a texture target", item, hint="write it after the sampler, as `, 2D`")
        return
    operand = len(item.dst) + len(item.src)
    if item.texture == "UNKNOWN":
        context.warning("V054", f"{name} with target UNKNOWN cannot run", item, operand, hint="name the texture's target, as `2D`")
    elif item.texture == "BUFFER" and Trait.FILTER in item.opcode.traits:
        context.warning("V054", f"{name} cannot filter a BUFFER", item, operand, hint="texel buffers are read by TXF")
    elif item.texture == "SHADOWCUBEARRAY" and Trait.ONE_VECTOR in item.opcode.traits:
        longer = f"{name}2"
        hint = f"{longer} takes the reference value as its second source" if longer in OPCODES else ""
        context.error("V055", f"{name} has no room for the reference value of SHADOWCUBEARRAY", item, operand, hint)
    view = views.get(_unit(item.src[-1].register)) if item.src else None
    if view is not None and view.view is not None and view.view.target != item.texture and item.texture != "UNKNOWN":
        also = (Label(view.span, "declared here"),) if view.span is not None else ()
        message = f"{name} reads target {item.texture}, but the view is declared {view.view.target}"
        context.error(
            "V051",
            message,
            item,
            operand,
            hint=f"write `{view.view.target}`",
            also=also,
            fixes=_target_fix(item, operand, view.view.target),
        )


def _target_fix(item: Instruction, operand: int, target: str) -> tuple[Fix, ...]:
    from tgsi.language.text.locate import operand_span

    span = operand_span(item, operand)
    return (Fix(span, target),) if span is not None and span is not item.span else ()


def _unit(register: RegisterRef) -> int:
    return register.index if register.file is File.SAMP and register.indirect is None else -1
