"""Diagnostic codes: what each means, for `tgsi-compile --explain`.

P parse, V validate, S semantic limits, K linkage, B backend. A code keeps its meaning for ever; a retired one is not used again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

# One entry a code: a line with the code and its title, then indented lines of explanation.
_ENTRIES = """
P001 unknown shader stage
    The first word of a text names its stage: VERT, FRAG, GEOM, TESS_CTRL, TESS_EVAL or COMP.
P003 unexpected text
    Something stands where the syntax wants something else; the message lists what may stand there.
P004 incomplete statement
    A statement ends before all of its parts are there. A newline is only white space, so a statement may go on in the next line, but
    here the next statement begins.
P005 unknown opcode
    The word is no opcode, or its suffixes are in the wrong order: _SAT comes before _PRECISE. Opcodes added after Mesa 18.1 are refused
    by the strict dialect.
P006 unknown register file
    Registers are written FILE[index], where FILE is one of NULL, CONST, IN, OUT, TEMP, SAMP, ADDR, IMM, SV, IMAGE, SVIEW, BUFFER,
    MEMORY, CONSTBUF, HWATOMIC.
P007 unknown attribute
    What follows a declaration's brackets is no semantic, interpolation mode, location or other attribute that is known.
P008 attribute in the wrong place
    Attributes of a declaration have one order: ARRAY(n), LOCAL, semantic, STREAM(a, b, c, d), interpolation mode, location. Some belong
    to one register file only.
P009 wrong number of operands
    Every opcode takes a fixed number of destinations and sources, then a texture target if it is a texture instruction.
P010 label where none is allowed
    `:n` may follow CAL, IF, UIF, ELSE, BGNLOOP and ENDLOOP only (and BGNSUB in the default dialect).
P011 unknown texture target
    A texture target is one of BUFFER, 1D, 2D, 3D, CUBE, RECT, SHADOW1D, SHADOW2D, SHADOWRECT, 1D_ARRAY, 2D_ARRAY, SHADOW1D_ARRAY,
    SHADOW2D_ARRAY, SHADOWCUBE, 2D_MSAA, 2D_ARRAY_MSAA, CUBEARRAY, SHADOWCUBEARRAY, UNKNOWN.
P012 wrong swizzle
    A source swizzle has exactly four letters of xyzw. The default dialect also takes one letter, `.x` for `.xxxx`.
P013 wrong mask
    A write mask or usage mask names each channel at most once, in the order xyzw, as `.xz`.
P014 modifier on a destination
    Negation and absolute value belong to sources; a destination has a write mask only.
P015 not an operand
    A word stands where a register or another operand belongs.
P016 wrong texture offset
    Behind the texture target up to four texel offsets may follow, each a register with three letters, as `IMM[0].xyz`.
P017 unknown memory word
    Behind the operands of a memory instruction stand COHERENT, RESTRICT or VOLATILE, a texture target, and a format as
    PIPE_FORMAT_R32_UINT.
P018 wrong index component
    An indirect index reads one channel of its register: `ADDR[0].x`.
P019 size is not implied
    `[]` means all vertices of the primitive: after PROPERTY GS_INPUT_PRIMITIVE in a geometry shader, and in the tessellation stages.
P020 immediate out of order
    The number in IMM[n] counts the immediates that came before.
P021 unknown immediate type
    An immediate is of type FLT32, UINT32, INT32, FLT64, UINT64 or INT64.
P022 wrong number of values
    An immediate has four values of a 32-bit type, or two of a 64-bit type.
P023 wrong value
    The text is no value of the immediate's type. FLT32 takes decimals or 0x and eight hexadecimal digits, UINT32 and INT32 take
    decimals.
P024 unknown property
    The word behind PROPERTY is no known property.
P025 wrong property value
    Most properties take an unsigned number; primitives, coordinate conventions and the next stage are named.
P026 number too long
    A number has thousands of digits.
P027 wrong return type
    A sampler view is declared with its target and what it returns: UNORM, SNORM, SINT, UINT or FLOAT.
P029 extension in strict text
    The form is an extension of the default dialect; Mesa 18.1 does not read it.
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A title that fits on a line, and a paragraph that tells what to do."""

    title: str
    text: str


def _read(entries: str) -> dict[str, Explanation]:
    found = re.findall(r"^([A-Z][0-9]{3}) (.+)\n((?:    .+\n)+)", entries, re.MULTILINE)
    table = {code: Explanation(title, " ".join(text.split())) for code, title, text in found}
    if len(table) != len(found):
        raise ValueError("a code is explained twice")
    return table


EXPLANATIONS: Mapping[str, Explanation] = MappingProxyType(_read(_ENTRIES))
"""What each code means."""
