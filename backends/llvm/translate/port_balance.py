"""Balance of execution ports in loops: sums written as fused multiply-adds by one, where additions are the bottleneck.

AMD's CPUs add, compare, and take minima and maxima on one pair of pipes, and multiply on another (Zen 5, measured: two of each kind a
cycle, whatever the width). x * 1 + y rounds once, exactly like x + y, so the bits are the same. A loop with ten operations of the first
kind and four of the second runs at the speed of seven.
"""

from __future__ import annotations

import re

from backends.llvm.builder.function import F32, Function

_LINE = re.compile(r"  (%v\d+) = (fadd|fsub|fcmp|fmul|fdiv|call) (.*)")
_PRODUCTS = (("fmul ", 1), ("fdiv ", 3), ("@llvm.fma.", 1), ("@llvm.sqrt.", 2))
"""Operations on the pipes of products, and the time of each as a number of products."""
_MINUS_ONE = "splat (float 0xBFF0000000000000)"  # LLVM negates, and subtracts instead of adding
_SUM = re.compile(r"(<\d+ x float>) (.+), (%v\d+|splat \(float [^)]*\)|zeroinitializer)")


def balance(f: Function, begin: int) -> None:
    """Turn sums of a loop into fused multiply-adds until both pairs of pipes have equal work. Call it at the end of the loop's body.

    The body is the lines of `f` from `begin` on. Sums near its end are chosen first, because the next round needs them last.
    """
    if not f.module.has("fma"):
        return
    sums: list[tuple[int, str, str, re.Match[str]]] = []
    additive = products = 0
    for index in range(begin, len(f.body)):
        match = _LINE.fullmatch(f.body[index])
        if match is None or "x float>" not in match[3]:
            continue
        name, operation, rest = match.groups()
        if operation in ("fadd", "fsub"):
            parts = _SUM.fullmatch(rest)
            if parts is not None:
                sums.append((index, name, operation, parts))
        additive += operation in ("fadd", "fsub", "fcmp")
        if operation != "fmul" or not rest.endswith(_MINUS_ONE):
            products += next((cost for start, cost in _PRODUCTS if f"{operation} {rest}".startswith(start) or start in rest), 0)
    before: list[str] = []
    ones: dict[str, str] = {}
    surplus = max((additive - products) // 2, 0)
    for index, name, operation, parts in sums[::-1][:surplus]:
        type, a, b = parts.groups()
        lanes = type[1:].split()[0]
        if type not in ones:
            ones[type], first = f.fresh(), f.fresh()
            before.append(f"  {first} = insertelement {type} zeroinitializer, {f.hidden(1.0)}, i32 0")
            before.append(f"  {ones[type]} = shufflevector {type} {first}, {type} {first}, <{lanes} x i32> zeroinitializer")
            f.module.declare(F32.wide(int(lanes)), f"llvm.fma.v{lanes}f32", ", ".join([type] * 3))
        lines = []
        if operation == "fsub":
            turned = f.fresh()
            lines.append(f"  {turned} = fneg {type} {b}")
            b = turned
        lines.append(f"  {name} = call {type} @llvm.fma.v{lanes}f32({type} {a}, {type} {ones[type]}, {type} {b})")
        f.body[index : index + 1] = lines
    f.body[begin:begin] = before
