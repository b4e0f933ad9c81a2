"""Opcodes of 64 bits: each pair of channels is packed, computed with, and unpacked."""

from __future__ import annotations

from backends.glsl.code import Code
from backends.glsl.places import refuse
from tgsi.language.ir import Instruction


def emit(code: Code, item: Instruction) -> None:
    """Write an instruction on doubles or integers of 64 bits."""
    refuse(f"the opcode {item.opcode.name}", item.span)
