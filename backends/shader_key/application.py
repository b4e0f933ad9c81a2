"""Programs with the state of a key: lowerings, then changes of declarations and properties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from backends.shader_key.key import CENTERS, ORIGINS, ShaderKey
from backends.shader_key.layout import Layout
from passes.lower.insert import exits, insert, next_register
from passes.lower.options import LoweringOptions, is_on
from passes.lower.state.additions import Additions, X, of, op, prologue
from passes.lowering import lowered
from passes.optimise.dead import RemoveDeadCode
from passes.validate import validate
from tgsi.language.channels import source_channels
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import CHANNELS, TARGETS, File, Location, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Declaration, DstOperand, Instruction, Property, RegisterRef, SrcOperand
from tgsi.language.program import Program

GivenState = ShaderKey | LoweringOptions | str
"""State as callers give it: a key, lowerings alone, or the text of either."""

CODE = "B081"


def read_state(state: GivenState, caller: str) -> ShaderKey:
    """Return the key of an argument `state`.

    Raises:
        TypeError, ValueError: it is not a key; the message names the field.
    """
    if isinstance(state, ShaderKey):
        return state
    if isinstance(state, LoweringOptions):
        return ShaderKey(lowering=state)
    if not isinstance(state, str):
        raise TypeError(f"{caller}: state: expected a ShaderKey, a LoweringOptions or the text of one, not {type(state).__name__}")
    try:
        return ShaderKey.parse(state)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{caller}: state: {error}") from None


def with_state(program: Program, state: GivenState, caller: str, *, has_sets: bool = False) -> tuple[Program, Layout]:
    """Return a valid program with the state of a key, and the bindings and names of the key.

    Args:
        program: the program, which is valid.
        state: the key.
        caller: the function that was given the state, for messages.
        has_sets: the language of the output has descriptor sets.

    Raises:
        TypeError, ValueError: the state is wrong, or a lowering refuses its options; the message names the field.
        UnsupportedError: a lowering or a field met an instruction or declaration that it cannot change; the message names it and its place.
        ValidationError, LimitError: the result is not valid.
    """
    key = read_state(state, caller)
    layout = Layout(key, caller=caller, has_sets=has_sets)
    lowering = key.lowering
    assert isinstance(lowering, LoweringOptions)
    changed = _compared(program, key.shadow_samplers) if key.shadow_samplers else program
    try:
        changed = lowered(changed, lowering, is_valid=changed is program)
    except ValueError as error:
        layout.refuse(f"lowering: {error}")
    return _with_declarations(changed, key), layout


def _with_declarations(program: Program, key: ShaderKey) -> Program:
    """Return a lowered program with the state that no lowering has."""
    assert isinstance(key.lowering, LoweringOptions)
    if program.processor is Processor.FRAG:
        before = program
        if key.color_targets > 1 and program.property("FS_COLOR0_WRITES_ALL_CBUFS"):
            program = _spread(program, key.color_targets)
        if is_on(key.lowering.per_sample):
            program = _asking(program)
        if key.origin is not None:
            program = _with_property(program, "FS_COORD_ORIGIN", ORIGINS.index(key.origin))
        if key.pixel_center is not None:
            program = _with_property(program, "FS_COORD_PIXEL_CENTER", CENTERS.index(key.pixel_center))
        if program is not before:
            validate(program)
    return program


def _with_property(program: Program, name: str, value: int) -> Program:
    if program.property(name) == value:
        return program
    others = tuple(item for item in program.properties if item.name != name)
    return replace(program, properties=(*others, Property(name, value)))


# One color for all targets.


def _spread(program: Program, targets: int) -> Program:
    """Return the program with a copy of COLOR for each further target, instead of the property FS_COLOR0_WRITES_ALL_CBUFS."""
    outputs = {
        item.semantic.index + offset: item.first + offset
        for item in program.declared(File.OUT)
        if item.semantic is not None and item.semantic.name == "COLOR"
        for offset in range(item.last - item.first + 1)
    }
    if 0 not in outputs:
        return program
    first = next_register(program, File.OUT)
    missing = [number for number in range(1, targets) if number not in outputs]
    added = [Declaration(File.OUT, first + k, first + k, semantic=Semantic("COLOR", number)) for k, number in enumerate(missing)]
    color = SrcOperand(RegisterRef(File.OUT, outputs[0]))
    moves = [Instruction(OPCODES["MOV"], (DstOperand(RegisterRef(File.OUT, item.first)),), (color,)) for item in added]
    properties = tuple(item for item in program.properties if item.name != "FS_COLOR0_WRITES_ALL_CBUFS")
    declared = replace(program, properties=properties, declarations=(*program.declarations, *added))
    return insert(declared, dict.fromkeys(exits(declared), moves))


# Sample shading.


def _asking(program: Program) -> Program:
    """Return the program with a use of SAMPLEID if it must run for each sample and no other input requires that.

    Compilers drop a read whose value nothing needs, and with it the wish: a kill that never happens needs it.
    """
    if _runs_by_sample(RemoveDeadCode().run(program)):
        return program
    more = Additions(program)
    test = more.temp()
    never = [op("ISLT", test, of(more.system("SAMPLEID"), X), more.words("uint", 0), mask=1), op("UIF", None, of(test, X))]
    return more.finish(prologue(program, [*never, op("KILL", None), op("ENDIF", None)]))


def _runs_by_sample(program: Program) -> bool:
    """Return true if an instruction reads an input at a sample, or the number or position of its sample."""
    read = {(o.register.file, o.register.index) for item in program.instructions for o in item.src if o.register.indirect is None}
    asking = [item for item in program.declared(File.IN) if item.location is Location.SAMPLE]
    asking += [item for item in program.declared(File.SV) if item.semantic is not None and item.semantic.name in ("SAMPLEID", "SAMPLEPOS")]
    return any((item.file, number) in read for item in asking for number in range(item.first, item.last + 1))


# Textures that compare.


def _may_compare(item: Instruction, target: str) -> bool:
    """Return true if an instruction also exists for a target with comparison, whose reference is a channel that it does not read yet."""
    traits = item.opcode.traits
    if target not in TARGETS or (Trait.QUERY in traits and Trait.FILTER in traits):
        return False
    if Trait.ONE_VECTOR not in traits:
        return Trait.QUERY in traits
    reference = TARGETS[target].shadow
    return reference in CHANNELS and not source_channels(item, 0) >> CHANNELS.index(reference) & 1


def _compared(program: Program, units: int) -> Program:
    """Return the program whose textures of some units are those with comparison."""

    def changed(item: Instruction) -> Instruction:
        if not item.opcode.is_texture or item.texture is None or item.src[-1].register.file is not File.SAMP:
            return item
        register = item.src[-1].register
        chosen = _chosen(program, register) if register.indirect is not None else (register.index,)
        asked = [bool(units >> unit & 1) for unit in chosen]
        if not any(asked) or "SHADOW" in item.texture:
            return item
        target = f"SHADOW{item.texture}"
        if not all(asked):
            _refuse(f"an address chooses SAMP[{chosen[0]}] to SAMP[{chosen[-1]}], and only some of them compare", item)
        if not _may_compare(item, target):
            _refuse(f"{item.opcode.name} of a {item.texture} texture does not compare", item)
        return replace(item, texture=target)

    instructions = tuple(map(changed, program.instructions))
    if instructions == program.instructions:
        return program
    return replace(program, instructions=instructions, declarations=tuple(n for item in program.declarations for n in _views(item, units)))


def _chosen(program: Program, register: RegisterRef) -> Sequence[int]:
    return [number for item in program.declared(File.SAMP) for number in range(item.first, item.last + 1)]


def _views(item: Declaration, units: int) -> list[Declaration]:
    """Declarations of views with the targets of textures that compare, one a register where only a part of a range changes."""
    view = item.view
    if item.file is not File.SVIEW or view is None or f"SHADOW{view.target}" not in TARGETS:
        return [item]
    asked = [bool(units >> number & 1) for number in range(item.first, item.last + 1)]
    if not any(asked):
        return [item]
    shadow = replace(view, target=f"SHADOW{view.target}")
    if all(asked):
        return [replace(item, view=shadow)]
    return [replace(item, first=n, last=n, view=shadow if yes else view) for n, yes in zip(range(item.first, item.last + 1), asked)]


def _refuse(text: str, item: Instruction) -> None:
    raise UnsupportedError.at(CODE, f"state: shadow_samplers: {text}", item.span, hint="leave the bit of this unit out")
