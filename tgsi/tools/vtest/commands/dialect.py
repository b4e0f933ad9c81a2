"""Programs in the dialect of Mesa's virgl driver, where it differs from TGSI."""

from __future__ import annotations

import re
from dataclasses import replace

from passes.lower.denormals import LowerDenormalTests
from passes.lower.numbers import LowerIntLimits, LowerNanLimits
from passes.validate import validate
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcode_row import WIDE
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import STAGES
from tgsi.language.ir import Declaration, Instruction
from tgsi.language.program import Program
from tgsi.language.source import is_glsl
from tgsi.language.text.parser import parse

_BEYOND = 32
"""Varyings from this number on are PATCH[0], PATCH[1] ... in some shaders of Mesa 22, and GENERIC in others."""

_LIMIT = re.compile(r"\b(MIN|MAX|F2I|F?S(LT|GE|EQ|NE)|SGT|SLE)\b|_SAT\b")
_PATCH = re.compile(r", PATCH\b")
_SECOND = re.compile(r": (?:D[A-Z]|[UI]64)\w* \S*\.(zw?|w)\b")
_FIRST_PAIR = 3


def program_of(source: str, name: str) -> Program | str:
    """The program of a text. A program without such differences is returned as its text.

    MIN, MAX and F2I behave as in OpenGL drivers, tests for 0 treat denormals as 0, each varying has a single name, and operations on
    doubles that write the second pair of channels read the first one.

    name: of the context's method that creates the shader.
    """
    if is_glsl(source) or not any(pattern.search(source) for pattern in (_LIMIT, _PATCH, _SECOND)):
        return source
    program = parse(source, name=name)
    changed = replace(
        program,
        declarations=tuple(_renamed(program, item) for item in program.declarations),
        instructions=tuple(map(_from_first_pair, program.instructions)),
    )
    validate(changed)
    return LowerNanLimits().run(LowerIntLimits().run(LowerDenormalTests().run(changed)))


def _renamed(program: Program, item: Declaration) -> Declaration:
    """GENERIC for PATCH in stages without patches: PATCH exists only as outputs of the control stage and inputs of the evaluation stage."""
    stage = STAGES[program.processor]
    has_patches = stage.is_patch and item.file is (File.IN if stage.feeds_rasterizer else File.OUT)
    if item.semantic is None or item.semantic.name != "PATCH" or has_patches:
        return item
    return replace(item, semantic=Semantic("GENERIC", _BEYOND + item.semantic.index))


def _from_first_pair(item: Instruction) -> Instruction:
    """The instruction with its 64-bit sources in both pairs of channels.

    Mesa copies sources to the first pair, independent of the written pair.
    """
    opcode = item.opcode
    if not opcode.uses_64bit or not item.dst or item.dst[0].write_mask & _FIRST_PAIR:
        return item
    sources = (
        replace(operand, swizzle=(*operand.swizzle[:2], *operand.swizzle[:2])) if kind in WIDE else operand
        for operand, kind in zip(item.src, opcode.src_types)
    )
    return replace(item, src=tuple(sources))
