"""Budget of a module's compilation: an estimate of LLVM's time from the module's text, and what follows from it.

LLVM cannot be interrupted, so the decision comes before LLVM is called. A large module is compiled at level 0 with few passes, its blocks
cut into pieces: then LLVM's time is proportional to the text. Whole blocks take a time that grows with their square (2,000 DFMAs in
one block: 4.4 s, in pieces of 1,000 lines: 0.8 s). A module beyond `MAX_COMPILE_MS` is refused. No choice changes a result.

Costs in us of processor time at level 0, measured with 18 constructs at 8, 16 and 64 lanes on the three levels of x86: a line costs 2 to
5; a lane of a vector's name 0.2 to 0.6 with AVX-512, 0.6 to 1.1 with AVX2 and 1.3 to 3 below; a lane of 64-bit integers up to 1.4, 13 and
27, if they are multiplied; a lane of doubles as much as two others; a lane of a mask that lives across blocks 1, 5 and 10; a lane of a
gather 4 to 6, of a division of 64 bits 60 to 85. LLVM takes 75 MB for a second of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from backends.abi.limits import LARGE_LINES, LARGE_MS, MAX_COMPILE_MS
from backends.llvm.targets.machines import cpu_features
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.record import record

SMALL = 100_000
"""Characters of texts that are not worth an estimate. The median shader has 20,000."""

_WIDTHS = tuple(1 << k for k in range(1, 10))
_LINE, _GATHERED, _DIVIDED = 4.0, 6.0, 85.0
_LABEL = re.compile(r"^\w+:", re.MULTILINE)
_GATHERS = re.compile(r"call [^@\n]*@llvm\.masked\.(?:gather|scatter)\.v(\d+)")
_DIVISIONS = re.compile(r"= [us](?:div|rem) <(\d+) x i64>")

PIECE = 1000
"""Lines of a block of a large module."""


@record
class _Costs:
    """Microseconds of one lane: of any vector, more for 64-bit integers, and of a mask across blocks."""

    lane: float
    wide: float
    mask: float


_COSTS = (("avx512f", _Costs(0.45, 1.4, 1.0)), ("avx2", _Costs(1.0, 13.0, 5.0)), ("", _Costs(2.5, 27.0, 10.0)))
"""By the first feature that the machine has; other architectures have vectors like x86 without AVX."""


def _costs(cpu: str) -> _Costs:
    features = cpu_features(cpu)
    return next(costs for feature, costs in _COSTS if not feature or feature in features)


def estimate_ms(text: str, cpu: str) -> float:
    """Milliseconds of processor time, about, in which LLVM compiles a module as a large one; 0 for a small text."""
    if len(text) < SMALL:
        return 0.0
    costs = _costs(cpu)
    counts = {width: text.count(f"<{width} x ") for width in _WIDTHS}
    lanes = sum(width * count for width, count in counts.items())
    lanes += sum(width * text.count(f"<{width} x double>") for width, count in counts.items() if count)
    wide = sum(width * text.count(f"<{width} x i64>") for width, count in counts.items() if count)
    usual = max(counts, key=lambda width: counts[width])
    spent = _LINE * text.count("\n") + costs.lane * lanes + costs.wide * wide
    spent += costs.mask * usual * sum(1 for _ in _LABEL.finditer(text))
    spent += _GATHERED * sum(int(found[1]) for found in _GATHERS.finditer(text))
    spent += _DIVIDED * sum(int(found[1]) for found in _DIVISIONS.finditer(text))
    return spent / 1e3


def is_large(text: str, cpu: str) -> bool:
    """True for a module whose compilation must be linear. UnsupportedError for one that would take longer than `MAX_COMPILE_MS`."""
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
