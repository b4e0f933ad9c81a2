"""Each limit has one home: no other module assigns a constant of its name. Those that write its value are listed.

`python -m tests.house.test_limits` writes limit_literals.txt again. Read a new line before you keep it: does the literal mean the limit?
"""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path

from tests.house.imports import nodes, trees

HOMES = ("backends.pipe.limits", "backends.abi.limits", "tgsi.language.facts.limits")
LIST = Path(__file__).with_name("limit_literals.txt")
NO_LIMITS = {"SOFTWARE", "NEVER"}
"""Other names of these modules, which are words elsewhere."""
LEAST = 512
"""Smaller values are everyday numbers: lanes, bits, channels, samples."""


def constants(module: str) -> list[str]:
    """Names that a module assigns at its top level."""
    body = trees()[module].body
    single = [node.target for node in body if isinstance(node, ast.AnnAssign)]
    several = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return [target.id for target in (*single, *several) if isinstance(target, ast.Name)]


@functools.cache
def limits() -> list[str]:
    """Names of all limits."""
    return [name for home in HOMES for name in constants(home) if name not in NO_LIMITS]


def test_no_limit_is_named_twice() -> None:
    assert len(limits()) > 20
    assert len(set(limits())) == len(limits())


def test_no_other_module_assigns_a_limit() -> None:
    again = [(module, name) for module in trees() if module not in HOMES for name in constants(module) if name in limits()]
    assert again == []


def test_the_floating_point_mode_is_named_once() -> None:
    assert [module for module in trees() if "DEFAULT_MXCSR" in constants(module)] == ["backends.llvm.builder.environment"]


def values() -> dict[float, list[str]]:
    """Names of the limits by value, those of `LEAST` and more."""
    found: dict[float, list[str]] = {}
    for home in HOMES:
        module = importlib.import_module(home)
        for name in constants(home):
            value = getattr(module, name)
            if isinstance(value, (int, float)) and value >= LEAST:
                found.setdefault(value, []).append(name)
    return found


def literal(node: ast.AST) -> float | None:
    """The value of a number that is written as such, or as a product or a shift of two."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, (int, float)) else None
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.LShift, ast.Mult)):
        return None
    parts = [side.value for side in (node.left, node.right) if isinstance(side, ast.Constant) and type(side.value) is int]
    if len(parts) < 2:
        return None
    return parts[0] * parts[1] if isinstance(node.op, ast.Mult) else parts[0] << min(parts[1], 64)


def literals_of(tree: ast.AST, wanted: set[float]) -> set[float]:
    """The values that a module writes, of those that are wanted."""
    return {value for node in nodes(tree) if (value := literal(node)) is not None} & wanted


def written() -> list[str]:
    """Lines of the list: the limits of a value, and the modules that write it."""
    known = values()
    places: dict[float, list[str]] = {value: [] for value in known}
    for module, tree in sorted(trees().items()):
        if module not in HOMES:
            for value in literals_of(tree, set(known)):
                places[value].append(module)
    return [line for value, names in sorted(known.items()) for line in (f"{' '.join(names)}:", *(f"  {place}" for place in places[value]))]


def test_modules_that_write_the_value_of_a_limit_are_those_of_the_list() -> None:
    assert LIST.read_text(encoding="utf-8").splitlines() == written()


def test_a_planted_literal_is_found() -> None:
    assert literals_of(ast.parse("a = 65535; b = 1 << 16; c = 64 * 1024; d = 0xFFFF; e = 3"), {3.5, 65535, 65536}) == {65535, 65536}


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in written()), encoding="utf-8")
