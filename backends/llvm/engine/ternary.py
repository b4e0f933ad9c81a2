"""Masked vpternlog instructions that LLVM 22.1 may miscompile: their detection, and equivalent text that avoids them.

LLVM turns `(a & C) | (b & ~C)` with constant C into its ternary operation, function 0xCA of C, a and b, and folds a select between the
result and a or b into the instruction's mask, whose target is then that value. If the operand that lies in memory would have to move past
both others, the permutation goes in the wrong direction: 0xB8 (of a, b and C) for 0xE4, or 0xE4 (of b, C and a) for 0xB8
(llvm/llvm-project#157929, fixed by #209782). Later passes may load that operand into a register, or exchange the last two operands to fold
another one: so 0xB8 and 0xD8 are interchangeable, and so are 0xE4 and 0xE2. So code that `is_suspect` finds may be right, but all other
code is certainly right.
"""

from __future__ import annotations

import re

_WRONG = frozenset({0xB8, 0xE4})
_WRONG_OF_CONSTANTS, _WRONG_OF_SPILLS = _WRONG | {0xE2}, _WRONG | {0xE2, 0xD8}
"""Immediates that may be wrong, by the memory of the third operand. 0xD8 with a constant there is right."""


def _bytes(accepted: list[int]) -> bytes:
    return b"[" + b"".join(b"\\x%02x" % x for x in accepted) + b"]"


# An EVEX prefix (map 0F3A, prefix 66, a mask register, no zeroing), the opcode, and ModRM with all that may follow (Intel's manual,
# volume 2, section 2.7 and VPTERNLOGD).
_INSTRUCTION = re.compile(
    b"\\x62"
    + _bytes([x for x in range(256) if x & 7 == 3])
    + _bytes([x for x in range(256) if x & 7 == 5])
    + _bytes([x for x in range(128) if x & 7])
    + b"\\x25(?=(.{7}))",
    re.DOTALL,
)
_RSP, _RBP = 4, 5


def is_suspect(code: bytes) -> bool:
    """True if x86 code may have a masked vpternlog with the immediate of another function."""
    return any(_is_wrong(match[0][1], match[1]) for match in _INSTRUCTION.finditer(code + bytes(8)))


def _is_wrong(prefix: int, rest: bytes) -> bool:
    """True if an instruction is suspect. prefix: the second byte; rest: ModRM and the following bytes."""
    mode, base, at = rest[0] >> 6, rest[0] & 7, 1
    if mode == 3:
        return rest[at] in _WRONG
    if base == _RSP:  # another byte has the base
        base, at = rest[1] & 7, 2
    if mode == 0 and base == _RBP:  # relative to rip
        return rest[at + 4] in _WRONG_OF_CONSTANTS
    is_stack = base in (_RSP, _RBP) and prefix & 0x20 != 0  # a clear bit means r12 or r13
    return rest[at + (4 if mode == 2 else mode)] in (_WRONG_OF_SPILLS if is_stack else _WRONG)


_CONSTANT = r"splat \([^)]*\)|<[^>]*>"
_MASKING = rf"(?m)^( *%\S+ = and (<\d+ x i\d+>) )(?:(%\S+), ({_CONSTANT})|({_CONSTANT}), (%\S+))$"


def hide_masks(text: str) -> str:
    """Equivalent LLVM text that loads the constants of vector ANDs from memory, so that LLVM does not recognize a merge."""
    tables: dict[tuple[str, str], str] = {}

    def load(match: re.Match[str]) -> str:
        start, kind, left, right, first, second = match.groups()
        table = tables.setdefault((kind, right or first), f"@mask.{len(tables)}")
        name = f"%mask.{match.start()}"
        return f"  {name} = load {kind}, ptr {table}, align 4\n{start}{left or second}, {name}"

    hidden = re.sub(_MASKING, load, text)
    return hidden + "".join(f"{name} = private unnamed_addr constant {kind} {value}\n" for (kind, value), name in tables.items())
