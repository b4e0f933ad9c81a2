"""Budget of a module's compilation: an estimate of LLVM's time from the module's text, and the resulting effort.

LLVM cannot be interrupted, so the decision comes before LLVM is called. A large module is compiled at level 0 with few passes, and its
blocks are cut into pieces, which makes LLVM's time proportional to the text. The time for whole blocks grows with the square of their
length (2,000 DFMAs in one block: 4.4 s, in pieces: 0.8 s). A module beyond `MAX_COMPILE_MS` is refused. No choice changes a result.

Costs in us of processor time at level 0, measured with a hundred constructs at 8, 32 and 64 lanes on the three levels of x86: a line costs
2 to 6; a lane of a vector's name 0.2 to 0.6 with AVX-512, 0.4 to 0.8 with AVX2 and 0.8 to 2 below; a lane of a mask that lives across
blocks 1, 5 and 10; casts of bits only their lines; more expensive instructions are in `_DEAR`. LLVM needs 75 MB of memory for each second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from backends.abi.limits import LARGE_LINES, LARGE_MS, MAX_COMPILE_MS
from backends.llvm.targets.machines import cpu_features
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.record import record

SMALL = 100_000
"""Length up to which texts need no estimate, in characters. The median shader has 20,000."""

_WIDTHS = tuple(1 << k for k in range(1, 10))
_LINE = 4.0
_LABEL = r"(?m)^\w+:"
_CAST = r"= bitcast .*"
_WORK = r"= (mul|shl|[al]shr|[su]div|[su]rem|fpto[su]i|fptrunc) <(\d+) x (i32|i64|double)>"
_CONVERSION = r"= ([su]itofp) <(\d+) x i64> \S+ to <\d+ x (float|double)>"
_CALL = r"@llvm\.(ctlz|masked\.gather|masked\.scatter)\.(?:p0\.)?v(\d+)"
_ANSWER = r"= [if]cmp (\w+) <(\d+) x (?:i64|double)>.*\n.* = sext "
"""Regular expressions, compiled on use, because large texts are rare."""

PIECE = 200
"""Lines of a piece of a large module's block."""


@record
class _Costs:
    """Microseconds of one lane: of any vector, and of a mask across blocks. row: the applicable column of `_DEAR`."""

    lane: float
    mask: float
    row: int


_COSTS = (
    ("avx512f", _Costs(0.45, 1.0, 0)),
    ("avx2", _Costs(0.7, 5.0, 1)),
    ("aarch64", _Costs(4.0, 10.0, 0)),
    ("", _Costs(1.5, 10.0, 2)),
)
"""Costs by the machine's best feature; other architectures are like x86 without AVX."""

_DIVISION, _NARROW_DIVISION, _GATHER = (40.0, 60.0, 85.0), (12.0, 50.0, 90.0), (8.0, 20.0, 30.0)
_DEAR: dict[tuple[str, str], tuple[float, float, float]] = {
    ("mul", "i64"): (10.0, 45.0, 80.0),
    **{(name, "i64"): _DIVISION for name in ("sdiv", "udiv", "srem", "urem")},
    **{(name, "i32"): _NARROW_DIVISION for name in ("sdiv", "udiv", "srem", "urem")},
    **{(name, "i64"): (3.0, 8.0, 15.0) for name in ("shl", "lshr", "ashr")},
    **{(name, "float"): (45.0, 115.0, 115.0) for name in ("sitofp", "uitofp")},
    **{(name, "double"): (25.0, 50.0, 50.0) for name in ("fptosi", "fptoui")},
    **{(name, "double"): (2.0, 20.0, 8.0) for name in ("sitofp", "uitofp")},
    ("fptrunc", "double"): (38.0, 15.0, 20.0),
    ("ctlz", ""): (1.0, 70.0, 130.0),
    ("masked.gather", ""): _GATHER,
    ("masked.scatter", ""): _GATHER,
    ("less", "8"): (32.0, 25.0, 30.0),
    ("less", ""): (7.0, 25.0, 30.0),
    ("not less", "8"): (32.0, 65.0, 160.0),
    ("not less", ""): (7.0, 65.0, 160.0),
}
"""Additional microseconds of a lane of an instruction with AVX-512, with AVX2 and below. "less" and "not less":

64-bit comparisons, of eight lanes and of others, whose result becomes a number; "not less" are those that negate an instruction's result.
"""


def _costs(cpu: str) -> _Costs:
    features = cpu_features(cpu)
    return next(costs for feature, costs in _COSTS if not feature or feature in features)


def estimate_ms(text: str, cpu: str) -> float:
    """Estimate of LLVM's processor time for a module compiled as a large one, in milliseconds; 0 for a small text."""
    if len(text) < SMALL:
        return 0.0
    costs, plain = _costs(cpu), re.sub(_CAST, "", text)
    counts = {width: plain.count(f"<{width} x ") for width in _WIDTHS}
    lanes = sum(width * count for width, count in counts.items())
    lanes += sum(width * plain.count(f"<{width} x {kind}>") for width, count in counts.items() if count for kind in ("double", "i64"))
    usual = max(counts, key=lambda width: counts[width])
    spent = _LINE * text.count("\n") + costs.lane * lanes
    spent += costs.mask * usual * sum(1 for _ in re.finditer(_LABEL, text))
    return (spent + sum(_DEAR[work][costs.row] * lanes for work, lanes in _dear(plain) if work in _DEAR)) / 1e3


def _dear(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    """The total cost of instructions in `_DEAR`, by their lanes."""
    for (name, width, kind), count in Counter(re.findall(_WORK, text) + re.findall(_CONVERSION, text)).items():
        yield (name, kind), int(width) * count
    for (name, width), count in Counter(re.findall(_CALL, text)).items():
        yield (name, ""), int(width) * count
    for (name, width), count in Counter(re.findall(_ANSWER, text)).items():
        yield ("not less" if name in ("sge", "uge", "ne") else "less", "8" if width == "8" else ""), int(width) * count


def is_large(text: str, cpu: str) -> bool:
    """True for a module whose compilation must be linear. UnsupportedError if it would take longer than `MAX_COMPILE_MS`."""
    spent = estimate_ms(text, cpu)
    if spent > MAX_COMPILE_MS:
        raise UnsupportedError.at(
            "B042",
            f"the generated code ({text.count(chr(10))} lines) would take LLVM about {spent / 1e3:.1f} s, and {MAX_COMPILE_MS / 1e3:.1f} s "
            "are allowed",
            hint="shorten or divide the shader; fewer lanes may help; tgsi.run(..., engine='interp') needs no code",
        )
    return spent > LARGE_MS or (len(text) >= SMALL and text.count("\n") > LARGE_LINES)


def in_pieces(text: str) -> str:
    """The module with its blocks cut into pieces of `PIECE` lines, each of which jumps to the next one."""
    return "\n".join(_cut(text))


def _cut(text: str) -> Iterator[str]:
    count = pieces = 0
    for line in text.split("\n"):
        if not line.startswith("  ") or line.startswith("  br ") or " = alloca " in line:
            count = 0  # a label, an end, or the entry
        elif count == PIECE:
            pieces, count = pieces + 1, 0
            yield f"  br label %piece{pieces}"
            yield f"piece{pieces}:"
        count += 1
        yield line
