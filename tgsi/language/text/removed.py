"""Opcodes that TGSI once had, with their replacements: hints for texts of 2007 to 2017."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.text.old_opcodes import LOWERED, REFUSED, RENAMED

_IN_DETAIL = {
    "ABS": "write `MOV d, |a|`",
    "SUB": "write `ADD d, a, -b`",
    "XPD": "write `MUL t, a.zxyw, b.yzxw` and `MAD d.xyz, a.yzxw, b.zxyw, -t`",
    "DP2A": "write `DP2 t, a, b` and `ADD d, t, c.xxxx`",
    "DPH": "write `DP3 t, a, b` and `ADD d, t, b.wwww`",
    "CLAMP": "write `MAX t, a, b` and `MIN d, t, c`",
    "SCS": "write `COS d.x, a` and `SIN d.y, a`, then 0 and 1 to z and w",
    "NRM": "write `DP3 t, a, a`, `RSQ t, t` and `MUL d, a, t`",
    "CND": "write `ADD t, -c, h` with 1/2 in h, and `CMP d, t, a, b`",
    "RCC": "write RCP and clamp its result",
    "SFL": "write MOV with an immediate of zeros",
    "STR": "write MOV with an immediate of ones",
    "BREAKC": "write UIF, BRK, ENDIF",
}
"""Replacement of each opcode: d destination, a b c sources, t a temporary."""

_OTHERS = "the legacy dialect reads it"

REMOVED: Mapping[str, str] = MappingProxyType(
    {name: f"its name is {new} now" if new not in LOWERED else _OTHERS for name, new in RENAMED.items()}
    | dict.fromkeys((*LOWERED, "BGNFOR", "ENDFOR"), _OTHERS)
    | {name: hint for name, (_, hint) in REFUSED.items()}
    | _IN_DETAIL
)
"""A hint for each opcode that TGSI once had."""
