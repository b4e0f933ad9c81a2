"""Each limit has one home: no other module assigns a constant of its name."""

from __future__ import annotations

import ast
import functools

from tests.house.imports import trees

HOMES = ("backends.pipe.limits", "backends.abi.limits")


def constants(module: str) -> list[str]:
    """Names that a module assigns at its top level."""
    body = trees()[module].body
    single = [node.target for node in body if isinstance(node, ast.AnnAssign)]
    several = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return [target.id for target in (*single, *several) if isinstance(target, ast.Name)]


@functools.cache
def limits() -> list[str]:
    """Names of all limits."""
    return [name for home in HOMES for name in constants(home)]


def test_no_limit_is_named_twice() -> None:
    assert len(limits()) > 20
    assert len(set(limits())) == len(limits())


def test_no_other_module_assigns_a_limit() -> None:
    again = [(module, name) for module in trees() if module not in HOMES for name in constants(module) if name in limits()]
    assert again == []


def test_the_floating_point_mode_is_named_once() -> None:
    assert [module for module in trees() if "DEFAULT_MXCSR" in constants(module)] == ["backends.llvm.builder.environment"]
