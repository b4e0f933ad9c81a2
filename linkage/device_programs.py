"""Programs in the form that a device accepts: opcodes that its driver does not translate are lowered, and registers have the numbers of
the chip."""

from __future__ import annotations

from linkage.device_opcodes import TRANSLATED
from linkage.link import find_profile, link
from linkage.linker import linked_program
from linkage.options import DEFAULT, IDENTITY, LinkOptions, LinkState
from linkage.relocate import placement
from linkage.usage import interface_of
from passes.lower.arithmetic.table import EXPANSIONS
from passes.lower.options import LoweringOptions
from passes.lower.registers import move_registers
from passes.lowering import lowered
from tgsi.language.diagnostics import Diagnostic, Label, Severity
from tgsi.language.facts.enums import File
from tgsi.language.program import Program

FREE = 18
"""First number of registers that do not exist on a chip: above the numbers of all outputs and inputs of nv30 and nv40."""


def _missing(program: Program, profile: str) -> list[str]:
    """The opcodes of a program that a device's driver does not translate."""
    find_profile(profile)
    taken = TRANSLATED.get(profile, {}).get(program.processor)
    if taken is None:
        return []
    return sorted({item.opcode.name for item in program.instructions} - taken)


def lowering_for(program: Program, profile: str) -> LoweringOptions:
    """The lowerings that a program needs on a device: its opcodes that the driver does not translate and that have an expansion.

    `tgsi.lower(program, tgsi.lowering_for(program, "nv40"))` applies them. The options are empty if no lowering is needed, and for devices
    whose drivers have their own compilers (r300, r500, r600, nv50, svga, svga10).

    Raises:
        ValueError: there is no such profile.
    """
    names = [name for name in _missing(program, profile) if name in EXPANSIONS]
    return LoweringOptions(opcodes="+".join(names) if names else False)


def untranslated(program: Program, profile: str) -> tuple[Diagnostic, ...]:
    """Warnings about opcodes that a device's driver does not translate and that have no expansion, one for each opcode.

    Raises:
        ValueError: there is no such profile.
    """
    warnings = []
    for name in _missing(program, profile):
        if name not in EXPANSIONS:
            place = next(item.span for item in program.instructions if item.opcode.name == name)
            text = f"{profile}: the driver does not translate {name} in {program.processor.name} programs, and {name} has no expansion"
            labels = () if place is None else (Label(place),)
            warnings.append(Diagnostic("K036", Severity.WARNING, text, labels, "write it with other opcodes"))
    return tuple(warnings)


def device_program(program: Program, profile: str) -> Program:
    """A program with the lowerings that a device needs; the same object if it needs none. Errors as `lowering_for` and `tgsi.lower`."""
    options = lowering_for(program, profile)
    return lowered(program, options) if options.opcodes else program


def device_pair(
    vertex: Program, fragment: Program, profile: str, *, state: LinkState = IDENTITY, options: LinkOptions = DEFAULT
) -> tuple[Program, Program]:
    """A pair in the form that a device accepts: lowered, and with values in the registers that the chip expects.

    On nv30 and nv40 outputs and inputs have the numbers of the chip (`linkage.profiles.nvfx`); those without such a number come after all
    others. On other devices each input has the number of the output that feeds it, as in `linked_program`.

    Raises:
        LinkError: the device cannot link the pair, or a range of registers would have to be split (K022). UnsupportedError,
        ValidationError: a lowering does not support the program.
        ValueError: there is no such profile.
    """
    vertex, fragment = device_program(vertex, profile), device_program(fragment, profile)
    device = link(vertex, fragment, profile, state=state, options=options).device
    codes = find_profile(profile).codes
    if codes is None or device is None:
        return vertex, linked_program(vertex, fragment, state=state)
    outputs, inputs = codes(interface_of(vertex), interface_of(fragment), device)
    return _numbered(vertex, File.OUT, outputs), _numbered(fragment, File.IN, inputs)


def _numbered(program: Program, file: File, codes: dict[int, int]) -> Program:
    """A program whose registers of a file have the given numbers. LinkError: a range would have to be split."""
    declared = sorted({(item.first, item.last) for item in program.declared(file)})
    return move_registers(program, file, placement(declared, codes, first_free=FREE, file=file))
