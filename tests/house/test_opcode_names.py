"""Facts of opcodes are in the table of opcodes: no module compares opcodes by name or keeps a list of them, except for a few named here."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

import pytest

from tests.house.imports import nodes, trees
from tgsi.language.facts.opcodes import OPCODES

#: Modules, and packages with what is below them, that may name opcodes, and why.
ALLOWED = {
    "tgsi.language.facts.opcodes": "the rows",
    "tgsi.language.text.legacy": "the syntax of old texts",
    "tgsi.language.text.old_opcodes": "the instructions that removed opcodes become",
    "tgsi.language.text.reader": "advice in error messages",
    "tgsi.language.text.advice": "words of other languages for opcodes",
    "tgsi.language.builder.program_builder": "methods that write control flow",
    "frontends.spirv.emit": "writes instructions of SPIR-V as those of TGSI",
    "backends.glsl": "one expression for each opcode",
    "backends.interp": "one definition for each opcode, registered by name",
    "backends.llvm.translate.emit": "one emitter for each opcode, registered by name",
    "backends.shader_key.application": "writes the kill that asks for a run for each sample",
    "backends.spirv": "one row for each opcode, or an emitter, registered by name",
    "linkage.device_opcodes": "opcodes that the drivers of devices translate",
    "passes.lower.arithmetic": "writes opcodes with others",
    "passes.lower.operands": "writes operands with instructions",
    "passes.lower.expansion": "moves results",
    "passes.lower.denormals": "writes tests for 0 with others",
    "passes.lower.numbers": "writes limits of numbers with others",
    "passes.lower.face": "writes the instructions that replace FACE",
    "passes.lower.clamp": "writes the instructions that clamp colors",
    "passes.lower.state": "writes the instructions that replace state",
    "passes.optimise.evaluate": "the results of opcodes for constants",
    "passes.optimise.rules": "identities that replace one opcode by another",
    "backends.nvk.lower": "writes the instructions of lowered programs",
    "backends.nvk.emulator.expand": "writes reads and writes of ISBE as those of buffers",
    "backends.gallium.screen.caps": "FBFETCH is a capability, too",
    "tgsi.insight.logging_program": "writes stores into programs",
    "tgsi.tools.verify": "writes programs; ADD and MAX are blend functions, too",
    "tgsi.insight.tracing_program": "writes stores into programs",
    "tgsi.validation.settings": "knows the powers that encode sRGB",
    "tgsi.tools.vtest": "NOP is a command, too",
    "backends.pipe.foreign_enums": "ADD is a blend function, too",
    "tgsi.opengl.drawing.fragment": "ADD, MIN and AND are blend functions and logic operations, too",
}


def names_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of each string that is an opcode's name, or several with spaces between, and of prefixes of `opcode.name`.

    `OPCODES["MOV"]` makes an instruction and states no fact, so it is left out.
    """
    keys = (node.slice for node in nodes(tree) if isinstance(node, ast.Subscript) and _ends_with(node.value, "OPCODES"))
    made = {id(inner) for key in keys for inner in ast.walk(key)}
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in made:
            words = node.value.split()
            if words and all(word in OPCODES for word in words):
                yield node.lineno, node.value
        elif isinstance(node, ast.Attribute) and node.attr in ("startswith", "endswith") and _ends_with(node.value, "opcode.name"):
            yield node.lineno, ast.unparse(node)


def _ends_with(node: ast.expr, text: str) -> bool:
    """True if a name or an attribute ends with these words."""
    rest, _, last = text.rpartition(".")
    if isinstance(node, ast.Attribute):
        return node.attr == last and (not rest or _ends_with(node.value, rest))
    return isinstance(node, ast.Name) and node.id == last and not rest


def _reason(module: str) -> str | None:
    return next((name for name in ALLOWED if module == name or module.startswith(name + ".")), None)


@functools.cache  # not at import: every worker imports this module
def named() -> dict[str, list[tuple[int, str]]]:
    """Names of opcodes in each module."""
    return {name: list(names_in(tree)) for name, tree in trees().items()}


def test_no_opcode_is_named_outside_of_its_row() -> None:
    assert {name: found for name, found in named().items() if found and _reason(name) is None} == {}


@pytest.mark.parametrize("name", ALLOWED)
def test_no_permission_is_idle(name: str) -> None:
    assert any(found and _reason(module) == name for module, found in named().items())


@pytest.mark.parametrize(
    "code",
    [
        'if item.opcode.name == "KILL":\n    pass',
        '_JUMPS = frozenset({"BRK", "CONT", "RET"})',
        '_FLOW = "IF UIF ELSE".split()',
        '_COSTS = {"POW": 16}',
        'match name:\n    case "TEX" | "TXB":\n        pass',
        'found = item.opcode.name.startswith("ATOM")',
    ],
)
def test_a_planted_list_is_found(code: str) -> None:
    assert list(names_in(ast.parse(code)))


@pytest.mark.parametrize("code", ['made = OPCODES["MOV"]', 'text = "KILL all"', 'word = "2D"', '"""KILL."""\nname.startswith("GS_")'])
def test_other_strings_are_left_alone(code: str) -> None:
    assert list(names_in(ast.parse(code))) == []
