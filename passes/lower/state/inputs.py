"""State of fragment inputs: lower-flat-shade, lower-point-coord."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from passes.analysis.access import indexed_registers
from passes.base import Pass
from passes.edit import rebuilt
from passes.lower.state.additions import Additions, Y, changed_again, is_again, of, op, prologue, redirect
from passes.lower.state.words import known_word
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.ir import Declaration, Instruction, RegisterRef
from tgsi.language.program import Program
from tgsi.language.record import record


@record(slots=False)
class LowerFlatShade(Pass):
    """Make inputs constant over the primitive: colors that follow the flatshade state, or those that `inputs` names.

    `inputs` has semantics joined by +, such as COLOR+GENERIC[3]; a name without index means all indices. These become CONSTANT, regardless
    of their declaration. An empty value means the inputs that the flatshade state affects: those declared COLOR, and COLOR and BCOLOR
    without a mode. Declared ranges are split if only a part is selected. Programs of other stages stay unchanged.
    """

    name = "lower-flat-shade"
    inputs: str = ""

    def __post_init__(self) -> None:
        """Check `inputs`.

        Raises:
            ValueError: it names no semantic.
        """
        self._named()

    def _named(self) -> list[tuple[str, int | None]]:
        names: list[tuple[str, int | None]] = []
        for word in filter(None, self.inputs.upper().replace(" ", "").split("+")):
            match = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", word)
            known_word(self.name, "inputs", match[1] if match else word, SEMANTICS)
            assert match is not None
            names.append((match[1], None if match[2] is None else int(match[2])))
        return names

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: only a part of an array is selected.
        """
        if program.processor is not Processor.FRAG:
            return program
        named = self._named()
        if not named:
            declarations = tuple(_flat(item) for item in program.declarations)
            return program if declarations == program.declarations else replace(program, declarations=declarations)

        def flat(item: Declaration) -> Declaration:
            return replace(item, interpolation=Interpolation.CONSTANT)

        def is_named(semantic: Semantic) -> bool:
            return (semantic.name, None) in named or (semantic.name, semantic.index) in named

        return _with_inputs(program, is_named, flat)


def _flat(item: Declaration) -> Declaration:
    is_color = item.semantic is not None and item.semantic.name in ("COLOR", "BCOLOR")
    follows = item.interpolation is Interpolation.COLOR or (item.interpolation is None and is_color)
    return replace(item, interpolation=Interpolation.CONSTANT) if follows and item.file is File.IN else item


def _with_inputs(program: Program, is_meant: Callable[[Semantic], bool], change: Callable[[Declaration], Declaration]) -> Program:
    """Return the program with the declarations of some inputs changed; a range is split if only a part is selected."""
    indexed = {register.array_id for register in indexed_registers(program) if register.file is File.IN}
    declarations = tuple(new for item in program.declarations for new in _changed(item, indexed, is_meant, change))
    return program if declarations == program.declarations else replace(program, declarations=declarations)


def _changed(
    item: Declaration, indexed: Collection[int], is_meant: Callable[[Semantic], bool], change: Callable[[Declaration], Declaration]
) -> Iterator[Declaration]:
    own = item.semantic
    if item.file is not File.IN or own is None:
        yield item
        return
    parts = [(register, Semantic(own.name, own.index + k)) for k, register in enumerate(range(item.first, item.last + 1))]
    meant = [is_meant(semantic) for _, semantic in parts]
    if not any(meant):
        yield item
    elif all(meant) and change(item).semantic == own:
        yield change(item)
    elif item.array_id and item.array_id in indexed:
        raise UnsupportedError.at("K039", "only a part of an array of inputs is selected", item.span, hint="name all of its inputs or none")
    else:
        for (register, semantic), is_one in zip(parts, meant):
            alone = replace(item, first=register, last=register, semantic=semantic, array_id=0)
            yield change(alone) if is_one else alone


@record(slots=False)
class LowerPointCoord(Pass):
    """Read the point coordinate, (s, t, 0, 1), instead of GENERIC and TEXCOORD inputs that point sprites replace.

    `generics` is a mask like sprite_coord_enable: bit n selects GENERIC[n] and TEXCOORD[n]. Declared ranges are split if only a part is
    replaced. `flips` gives 1 - t instead of t, as sprite_coord_mode LOWER_LEFT does; the state stays UPPER_LEFT. Programs of other stages
    stay unchanged.
    """

    name = "lower-point-coord"
    generics: int = 0
    flips: bool = False

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: a sprite replaces an array of inputs, or `flips` is set and an address may reach one that it replaces.
        """
        if program.processor is not Processor.FRAG:
            return program

        def is_meant(semantic: Semantic) -> bool:
            return semantic.name in ("GENERIC", "TEXCOORD") and bool(self.generics >> semantic.index & 1)

        lowered = _with_inputs(program, is_meant, _sprite)
        if lowered is program or not self.flips:
            return lowered
        return _turned(lowered, [number for number, own in _registers(program) if is_meant(own)])


def _registers(program: Program) -> Iterator[tuple[int, Semantic]]:
    for item in program.declared(File.IN):
        if item.semantic is not None:
            for k, register in enumerate(range(item.first, item.last + 1)):
                yield register, Semantic(item.semantic.name, item.semantic.index + k)


def _turned(program: Program, registers: Sequence[int]) -> Program:
    """Return the program with 1 - t instead of t in inputs that are point coordinates."""
    more, start, replaced = Additions(program), list[Instruction](), dict[tuple[File, int], RegisterRef]()

    def turn(temp: RegisterRef) -> list[Instruction]:
        return [op("ADD", temp, more.number(1.0), of(temp, Y, negate=True), mask=2)]

    for number in registers:
        temp = replaced[File.IN, number] = more.temp()
        start += [op("MOV", temp, of(RegisterRef(File.IN, number))), *turn(temp)]

    def changed(item: Instruction) -> Sequence[Instruction]:
        if not is_again(item) or item.src[0].register.indirect is not None or item.src[0].register.index not in registers:
            return (item,)
        return changed_again(item, more, turn)

    redirected = redirect(program, replaced)
    return more.finish(prologue(rebuilt(redirected, [changed(item) for item in redirected.instructions]), start))


def _sprite(item: Declaration) -> Declaration:
    return replace(item, semantic=Semantic("PCOORD"), interpolation=Interpolation.LINEAR)
