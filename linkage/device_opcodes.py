"""Opcodes that the drivers of devices translate. Other opcodes are lowered for the device where an expansion exists.

Sources: in Mesa `nouveau/nv30/nvfx_fragprog.c`, `nouveau/nv30/nvfx_vertprog.c` and `i915/i915_fpc_translate.c`, each the switch over the
opcodes of an instruction. Flow of fragment programs on nv30 is ignored there; its profile refuses it. All other drivers have compilers
that translate every opcode, and i915 runs vertex programs in software, so these need no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.facts.enums import Processor

_COMMON = """ADD CEIL CMP COS DP2 DP3 DP4 DST EX2 FLR FRC LG2 LIT LRP MAD MAX MIN MOV MUL NOP POW RCP RSQ SEQ SGE SGT SIN SLE SLT SNE SSG
TRUNC END"""
_BOTH = frozenset(_COMMON.split())
_FLOW = frozenset(["IF", "ELSE", "ENDIF", "BGNLOOP", "ENDLOOP", "BRK", "CONT", "CAL", "RET", "BGNSUB", "ENDSUB"])
_NVFX_VERTEX = _BOTH | _FLOW | {"ARL", "EXP", "LOG"}
_NVFX_FRAGMENT = _BOTH | {"DDX", "DDY", "KILL", "KILL_IF", "TEX", "TXB", "TXL", "TXP"}
_I915 = (_BOTH - {"COS", "DST", "LIT", "SIN"}) | {"DDX", "DDY", "KILL", "KILL_IF", "TEX", "TXB", "TXP", "RET"}

TRANSLATED: Mapping[str, Mapping[Processor, frozenset[str]]] = MappingProxyType(
    {
        "nv30": {Processor.VERT: _NVFX_VERTEX, Processor.FRAG: _NVFX_FRAGMENT},
        "nv40": {Processor.VERT: _NVFX_VERTEX, Processor.FRAG: _NVFX_FRAGMENT | _FLOW},
        "i915": {Processor.FRAG: _I915},
    }
)
"""The opcodes by profile and stage."""
