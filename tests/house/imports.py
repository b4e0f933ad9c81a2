"""Import graph of the five packages, read from the sources, including lazy imports and those under TYPE_CHECKING."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("tgsi", "passes", "linkage", "frontends", "backends")


def module_files() -> dict[str, Path]:
    """File of each module by dotted name."""
    found = {}
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = file
    return found


@functools.cache  # each worker parses the modules once
def trees() -> dict[str, ast.Module]:
    """Parsed text of each module."""
    return {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in module_files().items()}


@functools.cache  # walking a tree takes as long as parsing it
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree."""
    return tuple(ast.walk(tree))


def import_graph() -> dict[str, set[str]]:
    """Imported modules by module, including imports inside of functions."""
    files = module_files()
    graph: dict[str, set[str]] = {}
    for name, tree in trees().items():
        targets = set()
        for node in nodes(tree):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
                targets |= {full if (full := f"{node.module}.{alias.name}") in files else node.module for alias in node.names}
        graph[name] = (targets & files.keys()) - {name}
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one module, each sorted (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for target in sorted(graph[module]):
            if target not in index:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], index[target])
        if low[module] == index[module]:
            cut = stack.index(module)
            component = sorted(stack[cut:])
            del stack[cut:]
            if len(component) > 1:
                found.append(component)

    for module in sorted(graph):
        if module not in index:
            visit(module)
    return found


def children(graph: dict[str, set[str]], package: str) -> dict[str, set[str]]:
    """Graph of the direct contents of `package`; a folder counts as one node with everything in it."""

    def child(module: str) -> str | None:
        return module[: len(package) + 1] + module[len(package) + 1 :].split(".")[0] if module.startswith(package + ".") else None

    found: dict[str, set[str]] = {}
    for module, targets in graph.items():
        if (here := child(module)) is not None:
            found.setdefault(here, set()).update(there for target in targets if (there := child(target)) not in (None, here))
    return found
