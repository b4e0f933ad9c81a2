"""Faults: small changes of one place in product code, chosen by a seed.

A constant is another one, a comparison or a sign is turned round, a call is dropped, two arguments change places. Generators are such code,
too: a fault in one is a fault in the code that it writes. Texts, annotations, errors and what is printed for debugging have none.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("tgsi", "passes", "linkage", "frontends", "backends")
_TURNED: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip
_UNSEEN = {"__repr__", "_repr_html_", "_repr_png_", "__init_subclass__"}
_QUIET = {"lru_cache", "cache", "TypeVar", "warn", "warning", "debug", "info"}
"""Calls whose arguments no result depends on."""
_SYMMETRIC = {"min", "max"}
"""Functions of numbers that give the same result for swapped arguments."""
_LOUD = "(_ for _ in ()).throw(SystemError('planted'))"


@dataclass(frozen=True)
class Fault:
    """A text in place of another one. line: where it stands, from 1. kind: constant, comparison, operator, call or arguments."""

    module: str
    line: int
    kind: str
    start: int
    end: int
    new: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.kind}"

    def planted(self, text: str) -> str:
        """The module's text with the fault."""
        return text[: self.start] + self.new + text[self.end :]

    @property
    def loud(self) -> Fault:
        """An error at the same place, which no test that runs it overlooks."""
        return replace(self, new=f"({_LOUD})")


def modules() -> list[str]:
    """Paths of product modules, sorted; not those that are generated, and not those without functions."""
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return sorted(str(file.relative_to(ROOT)) for file in files if file.name not in ("__init__.py", "keywords.py"))


def faults_of(module: str, text: str) -> list[Fault]:
    """Every fault of a module, in the order of its text."""
    lines, starts = text.splitlines(keepends=True), [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found = []
    for node, kind, new in _changes(ast.parse(text)):
        start, end = place(node.lineno, node.col_offset), place(node.end_lineno or 0, node.end_col_offset or 0)
        old, new = text[start:end], f"({new})" if isinstance(node, ast.expr) and kind != "constant" else new
        if old != new:
            found.append(Fault(module, node.lineno, kind, start, end, new))
    return found


def compiles(text: str) -> bool:
    """True for a text of a module."""
    try:
        compile(text, "planted", "exec")
    except SyntaxError:
        return False
    return True


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    """Places in functions, the kind of a fault, and the text with it."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name not in _UNSEEN:
            for statement in function.body:
                yield from _inside(statement)


def _inside(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)):
        return
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _QUIET:
        return
    yield from _change(node)
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "type_params"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _inside(child)


def _change(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        yield node, "constant", repr(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, "constant", repr(not node.value)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and (turned := _TURNED.get(type(node.ops[0]))):
        yield node, "comparison", f"{ast.unparse(node.left)} {turned} {ast.unparse(node.comparators[0])}"
    elif isinstance(node, ast.BinOp) and (turned := _TURNED.get(type(node.op))):
        yield node, "operator", f"({ast.unparse(node.left)}) {turned} ({ast.unparse(node.right)})"
    elif isinstance(node, ast.BoolOp):
        turned = f" {_TURNED[type(node.op)]} "
        yield node, "operator", turned.join(f"({ast.unparse(value)})" for value in node.values)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield node, "call", "None"
    elif isinstance(node, ast.Call) and len(node.args) > 1 and not _is_symmetric(node):
        swapped = ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
        yield node, "arguments", ast.unparse(swapped)


def _is_symmetric(node: ast.Call) -> bool:
    """True if a swap of the first two arguments has no effect, or is no swap of two values."""
    is_plain = len(node.args) == 2 and not node.keywords and isinstance(node.func, ast.Name)
    return any(isinstance(item, ast.Starred) for item in node.args[:2]) or (is_plain and ast.unparse(node.func) in _SYMMETRIC)


def chosen(seed: int, count: int) -> list[Fault]:
    """Faults of a seed, the first of which do not depend on the count. Every statement of the product is about as likely as any other."""
    sizes = {module: len((ROOT / module).read_text(encoding="utf-8")) for module in modules()}
    dice, found = random.Random(seed), list[Fault]()
    while len(found) < count:
        module = dice.choices(list(sizes), list(sizes.values()))[0]
        text = (ROOT / module).read_text(encoding="utf-8")
        if every := faults_of(module, text):
            kinds = sorted({fault.kind for fault in every})
            kind = dice.choice(kinds)
            fault = dice.choice([fault for fault in every if fault.kind == kind])
            if compiles(fault.planted(text)):
                found.append(fault)
    return found
