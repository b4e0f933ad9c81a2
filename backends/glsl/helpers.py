"""Functions that emitted programs define where GLSL leaves open what TGSI defines."""

from __future__ import annotations

from collections.abc import Iterable

from backends.glsl.expressions import INT, UINT, type_name


def _divide(kind: str) -> str:
    zero, none = ("0", "0") if kind == INT else ("0u", "0xffffffffu")
    test = f"b == {zero} ? {none} : "
    last = "b == -1 ? -a : a / b" if kind == INT else "a / b"
    return f"{kind} divide({kind} a, {kind} b) {{ return {test}{last}; }}"


def _remainder(kind: str) -> str:
    if kind == INT:
        return "int remainder(int a, int b) { return b == 0 ? -1 : a - b * divide(a, b); }"
    return "uint remainder(uint a, uint b) { return b == 0u ? 0xffffffffu : a % b; }"


def _high(kind: str) -> str:
    name = "imulExtended" if kind == INT else "umulExtended"
    return f"{kind} highProduct({kind} a, {kind} b) {{ {kind} high, low; {name}(a, b, high, low); return high; }}"


_SCALARS = {"divide": _divide, "remainder": _remainder, "highProduct": _high}
_NEEDS = {("remainder", INT): ("divide", INT)}


def definitions(used: Iterable[tuple[str, str, int]]) -> list[str]:
    """Lines that define functions: names, types and sizes of what is called."""
    wanted = {(name, kind, size) for name, kind, size in used}
    wanted |= {(name, kind, 1) for name, kind, _ in wanted}
    wanted |= {(*_NEEDS[name, kind], 1) for name, kind, _ in wanted if (name, kind) in _NEEDS}
    order = list(_SCALARS)
    lines = []
    for name, kind, size in sorted(wanted, key=lambda item: (order.index(item[0]), item[1] == UINT, item[2])):
        if size == 1:
            lines.append(_SCALARS[name](kind))
        else:
            vector = type_name(kind, size)
            parts = ", ".join(f"{name}(a.{c}, b.{c})" for c in "xyzw"[:size])
            lines.append(f"{vector} {name}({vector} a, {vector} b) {{ return {vector}({parts}); }}")
    return lines
