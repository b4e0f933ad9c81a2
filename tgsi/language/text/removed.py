"""Opcodes that TGSI once had, with their replacements: hints for texts of 2008 to 2017."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

REMOVED: Mapping[str, str] = MappingProxyType(
    {
        "ABS": "write `MOV d, |a|`",
        "SUB": "write `ADD d, a, -b`",
        "XPD": "write `MUL t, a.zxyw, b.yzxw` and `MAD d.xyz, a.yzxw, b.zxyw, -t`",
        "KIL": "its name is KILL_IF now",
        "KILP": "its name is KILL now",
        "DP2A": "write `DP2 t, a, b` and `ADD d, t, c.xxxx`",
        "DPH": "write `DP3 t, a, b` and `ADD d, t, b.wwww`",
        "CLAMP": "write `MAX t, a, b` and `MIN d, t, c`",
        "SCS": "write `COS d.x, a` and `SIN d.y, a`, then 0 and 1 to z and w",
        "NRM": "write `DP3 t, a, a`, `RSQ t, t` and `MUL d, a, t`",
        "CND": "write `ADD t, -c, h` with 1/2 in h, and `CMP d, t, a, b`",
        "RCC": "write RCP and clamp its result",
        "SFL": "write MOV with an immediate of zeros",
        "STR": "write MOV with an immediate of ones",
        "LERP": "its name is LRP now",
        "FRAC": "its name is FRC now",
        "FLOOR": "its name is FLR now",
        "EXPBASE2": "its name is EX2 now",
        "LOGBASE2": "its name is LG2 now",
        "POWER": "its name is POW now",
        "BGNLOOP2": "its name is BGNLOOP now",
        "ENDLOOP2": "its name is ENDLOOP now",
        "IFC": "its name is IF now",
        "BREAKC": "write IF, BRK, ENDIF",
    }
)
"""Replacement of each opcode: d destination, a b c sources, t a temporary."""
