"""glslang's tree of a text of HLSL, as it prints it: which products of matrices are `mul`, and which are `*`.

In a module both are the same instruction; in the tree each has the line of its operator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tgsi.language.record import record

_NODE = re.compile(r"0:([0-9]+|\?)( +)(.*)")
_LINKED = re.compile(r"^Linked \w+ stage:$", re.MULTILINE)
_PRODUCTS = ("matrix-multiply", "matrix mult second child into first child", "matrix-times-vector", "vector-times-matrix")
_BOTH_MATRICES = re.compile(r"([234])X([234]) matrix")
_LOOP = "Loop with condition not tested first"
_MUL, _TIMES = re.compile(r"\bmul\b"), re.compile(r"\*")


@record
class Product:
    """A product with a matrix: its line, whether it has a matrix as its result, and whether it was written with a `*`."""

    line: int
    is_matrix: bool
    is_componentwise: bool


@record
class _Node:
    line: int
    depth: int
    text: str


def products(log: str, text: str) -> tuple[dict[str, list[Product]], list[str]]:
    """Products by function, in the order in which a module has them, and errors as glslang writes them.

    Args:
        log: the output of glslang, with its tree.
        text: the text that it compiled.
    """
    start = max((match.end() for match in _LINKED.finditer(log)), default=0)
    if "matrix" not in log[start:]:
        return {}, []
    nodes = [_Node(int(match[1]) if match[1] != "?" else 0, len(match[2]), match[3]) for match in _NODE.finditer(log, start)]
    lines = _lines(text)
    made: dict[str, list[Product]] = {"main": []}
    errors: list[str] = []
    at = 1  # after the root
    while at < len(nodes) and not nodes[at].text.startswith("Linker Objects"):
        end = _end(nodes, at)
        name = nodes[at].text.removeprefix("Function Definition: ")
        function = "main" if name == nodes[at].text else name.split(" (")[0].strip()  # all others are initial values of variables
        for item in _ordered(nodes[at:end]):
            _add(item, lines, made.setdefault(function, []), errors)
        at = end
    return made, errors


def _end(nodes: Sequence[_Node], at: int) -> int:
    end = at + 1
    while end < len(nodes) and nodes[end].depth > nodes[at].depth:
        end += 1
    return end


def _ordered(nodes: Sequence[_Node]) -> list[_Node]:
    """Products of a subtree: operands first, and the body of a do-while loop before its condition."""
    made: list[_Node] = []
    stack: list[_Node] = []
    moved: list[tuple[int, list[_Node], int]] = []  # loops: depth, products of the condition, where they begin
    for node in nodes:
        while stack and stack[-1].depth >= node.depth:
            made.append(stack.pop())
        while moved and moved[-1][0] >= node.depth:
            made += moved.pop()[1]
        if node.text == _LOOP:
            moved.append((node.depth, [], len(made)))
        elif moved and node.text == "Loop Body" and node.depth == moved[-1][0] + 2:
            depth, _, begin = moved[-1]
            moved[-1] = depth, made[begin:], begin
            del made[begin:]
        elif node.text.startswith(_PRODUCTS):
            stack.append(node)
    made += reversed(stack)
    while moved:
        made += moved.pop()[1]
    return made


def _add(node: _Node, lines: Mapping[int, str], found: list[Product], errors: list[str]) -> None:
    line = lines.get(node.line, "")
    is_assignment = node.text.startswith("matrix mult second")
    has_mul, has_times = _MUL.search(line) is not None, _TIMES.search(line) is not None
    is_matrix = _BOTH_MATRICES.search(node.text) is not None
    is_componentwise = is_assignment or (has_times and not has_mul)
    if not is_assignment and has_mul and has_times:
        errors.append(f"ERROR: stdin:{node.line}: 'mul' : products by `mul` and by `*` of matrices in one line; write them in two")
    elif is_componentwise and not is_matrix:
        errors.append(
            f"ERROR: stdin:{node.line}: '*' : a product of a matrix and a vector; write mul(matrix, vector) or mul(vector, matrix)"
        )
    found.append(Product(node.line, is_matrix, is_componentwise))


def _lines(text: str) -> dict[int, str]:
    """Lines by the numbers that #line gives them."""
    made: dict[int, str] = {}
    number = 1
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*line\s+([0-9]{1,9})", line)
        if directive is not None:
            number = int(directive[1])
            continue
        made[number] = made.get(number, "") + " " + line
        number += 1
    return made
