"""Programs that the lowering refuses: their reasons, with the places."""

from __future__ import annotations

from math import prod

from backends.nvk.isbe.regions import WORD_BYTES
from backends.nvk.lower.context import WARP
from backends.nvk.lower.driver import CONSTANTS, FIRST_RESERVED
from backends.nvk.lower.prologue import block_of
from passes.analysis.access import indices_of
from passes.analysis.operands import registers_of
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Trait
from tgsi.language.program import Program

_PAYLOAD = "TS_PAYLOAD_BYTES"


def check(program: Program) -> None:
    """Accept a program, or raise UnsupportedError.

    B070: the program indexes SV registers, names registers that are the driver's, or has a payload that ends within a word. B071: threads
    of a workgroup of more than one warp wait for each other.
    """
    for item in program.declared(File.CONST):
        if (item.dimension or 0) == CONSTANTS:
            text = f"constant buffer {CONSTANTS} holds the driver's words"
            raise UnsupportedError.at("B070", text, item.span, hint=f"use a buffer below {CONSTANTS}")
    for item in program.declared(File.BUFFER):
        if item.last >= FIRST_RESERVED:
            text = f"BUFFER[{item.last}]: the driver and the emulator have the buffers from {FIRST_RESERVED} on"
            raise UnsupportedError.at("B070", text, item.span, hint=f"use a buffer below {FIRST_RESERVED}")
    for prop in program.properties:
        if prop.name == _PAYLOAD and prop.value % WORD_BYTES:
            text = f"{_PAYLOAD} {prop.value}: hardware hands over whole words"
            raise UnsupportedError.at("B070", text, prop.span, hint=f"use {prop.value + -prop.value % WORD_BYTES}")
    threads = prod(block_of(program))
    for instruction in program.instructions:
        if threads > WARP and Trait.BARRIER in instruction.opcode.traits:
            text = f"{instruction.opcode.name} in a workgroup of {threads} threads: the hardware runs {WARP}, and lanes that run several"
            raise UnsupportedError.at("B071", f"{text} threads cannot wait", instruction.span, hint=f"use at most {WARP} threads")
        for register in registers_of(instruction):
            if register.file is File.SV and register.indirect is not None:
                raise UnsupportedError.at("B070", "SV registers are indexed, so the value is unknown", instruction.span)
            if any(item.file is File.SV for item in indices_of(register)):
                text, hint = "an SV register is an index", "copy it to ADDR with UARL first"
                raise UnsupportedError.at("B070", text, instruction.span, hint=hint)
