"""Each limit has one home: no other module assigns a constant of its name."""

from __future__ import annotations

import ast

from tests.house.imports import module_files

HOMES = ("backends.pipe.limits", "backends.abi.limits")
FILES = module_files()


def constants(module: str) -> list[str]:
    """Names that a module assigns at its top level."""
    body = ast.parse(FILES[module].read_text(encoding="utf-8")).body
    single = [node.target for node in body if isinstance(node, ast.AnnAssign)]
    several = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return [target.id for target in (*single, *several) if isinstance(target, ast.Name)]


LIMITS = [name for home in HOMES for name in constants(home)]


def test_no_limit_is_named_twice() -> None:
    assert len(LIMITS) > 20
    assert len(set(LIMITS)) == len(LIMITS)


def test_no_other_module_assigns_a_limit() -> None:
    again = [(module, name) for module in FILES if module not in HOMES for name in constants(module) if name in LIMITS]
    assert again == []


def test_the_floating_point_mode_is_named_once() -> None:
    assert [module for module in FILES if "DEFAULT_MXCSR" in constants(module)] == ["backends.llvm.builder.environment"]
