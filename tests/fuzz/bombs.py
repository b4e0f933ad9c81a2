"""Programs that grow: one construct of the language, repeated.

``BOMBS`` maps the name of a construct to a function from its count to a text. Every text is right, or breaks a documented limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from passes.validate.roles import Role, source_roles
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Trait

Bomb = Callable[[int], str]

HEAD = """FRAG
DCL IN[0..5], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..15]
DCL TEMP[16..31], ARRAY(1)
DCL ADDR[0]
DCL CONST[0..31]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL BUFFER[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}
IMM[1] UINT32 {1, 2, 3, 4}
MOV TEMP[0], IN[0]
MOV TEMP[1], IN[1]
ARL ADDR[0].x, IN[2]
"""
TAIL = "MOV OUT[0], TEMP[0]\nEND\n"

_GEOM = """GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1024
DCL IN[][0], POSITION
DCL OUT[0], POSITION
DCL TEMP[0..15]
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
"""


def _body(lines: Iterable[str], more: str = "") -> str:
    head = HEAD.replace("IMM[0]", more + "IMM[0]", 1) if more else HEAD
    return head + "".join(lines) + TAIL


def _repeated(*lines: str) -> Bomb:
    """Lines in turn, `n` in all; `{k}` is the number of the line."""
    return lambda n: _body(lines[k % len(lines)].replace("{k}", str(k)) + "\n" for k in range(n))


def _nested(begin: str, end: str, inside: str = "ADD TEMP[0].x, TEMP[0], TEMP[1]\n", most: int | None = None) -> Bomb:
    """Nests as deep as `most`, one after the other, until there are `n` of the construct."""

    def make(n: int) -> str:
        lines, rest = [], n
        while rest > 0:
            deep = min(rest, most or rest)
            lines.append(begin * deep + inside + end * deep)
            rest -= deep
        return _body(lines)

    return make


_PLACES = {Role.SAMPLER: "SAMP[0]", Role.VIEW: "SVIEW[0]", Role.RESOURCE: "BUFFER[0]", Role.IMAGE: "IMAGE[0]", Role.VARYING: "IN[5]",
           Role.ANY: "OUT[0]", Role.VALUE: "TEMP[{}]"}  # fmt: skip


def instruction(info: OpcodeInfo) -> str:
    """One instruction of an opcode that is not control flow, as text."""
    sources = [_PLACES[role].format(k) for k, role in enumerate(source_roles(info.name))]
    if Trait.STREAM in info.traits:
        sources = ["IMM[0].xxxx"]
    results = ["TEMP[0]", "TEMP[6]"][: info.num_dst]
    if info.stores_to_dst:
        results = ["BUFFER[0]"]
    if info.name in ("ARL", "ARR", "UARL"):
        results = ["ADDR[0].x"]
    target = [", 2D"] if info.is_texture else []
    return f"{info.name} {', '.join(results + sources)}{''.join(target)}\n"


def _of_opcode(info: OpcodeInfo) -> Bomb:
    line = instruction(info)
    if Trait.STREAM in info.traits:
        return lambda n: _GEOM + line * n + "END\n"
    return lambda n: _body(line for _ in range(n))


def _calls(n: int) -> str:
    """`n` calls of one subroutine."""
    text = HEAD + "CAL :{sub}\n" * n + TAIL.replace("END\n", "RET\nBGNSUB\nADD TEMP[0].x, TEMP[0], TEMP[1]\nENDSUB\nEND\n")
    return text.replace("{sub}", str(n + 5))


def _call_tree(n: int) -> str:
    """Subroutines that each call the next one twice: as many calls as a power of two."""
    depth = max(1, n)
    lines, text = ["MOV TEMP[0], IN[0]", "CAL :{0}", "MOV OUT[0], TEMP[0]", "RET"], []
    place = len(lines)
    starts = []
    for k in range(depth):
        starts.append(place)
        inner = [f"CAL :{{{k + 1}}}"] * 2 if k + 1 < depth else ["ADD TEMP[0].x, TEMP[0], TEMP[1]"] * 2
        text += ["BGNSUB", *inner, "ENDSUB"]
        place += 4
    body = "\n".join([*lines, *text]) + "\nEND\n"
    for k, start in enumerate(starts):
        body = body.replace(f"{{{k}}}", str(start))
    return "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\n" + body


def _cases(body: str, uniform: bool = False) -> Bomb:
    def make(n: int) -> str:
        arms = "".join(f"CASE IMM[1].xxxx\n{body}" for _ in range(n))
        return _body([f"SWITCH {'CONST[0]' if uniform else 'TEMP[1]'}.xxxx\n{arms}ENDSWITCH\n"])

    return make


def _chain(n: int) -> str:
    """Each instruction needs the one before it, in another register."""
    return _body(f"MUL TEMP[{(k + 1) % 16}], TEMP[{k % 16}], TEMP[{(k + 5) % 16}]\n" for k in range(n))


def _registers(n: int) -> str:
    """As many registers as instructions, all alive to the end."""
    writes = "".join(f"ADD TEMP[{k}], IN[{k % 6}], CONST[{k % 32}]\n" for k in range(32, 32 + n))
    reads = "".join(f"ADD TEMP[0], TEMP[0], TEMP[{k}]\n" for k in range(32, 32 + n))
    return _body([writes, reads], f"DCL TEMP[32..{31 + n}]\n")


def _declarations(line: str) -> Bomb:
    return lambda n: _body([], "".join(line.replace("{k}", str(k + 100)) + "\n" for k in range(n)))


def _one_array(n: int) -> str:
    return _body(["MOV TEMP[ADDR[0].x+40](2), TEMP[0]\nMOV TEMP[0], TEMP[ADDR[0].x+40](2)\n"], f"DCL TEMP[40..{39 + n}], ARRAY(2)\n")


def _many_arrays(n: int) -> str:
    more = "".join(f"DCL TEMP[{32 + 2 * k}..{33 + 2 * k}], ARRAY({k + 2})\n" for k in range(n))
    uses = (f"MOV TEMP[ADDR[0].x+{32 + 2 * k}]({k + 2}), TEMP[1]\nADD TEMP[0], TEMP[0], TEMP[{32 + 2 * k}]\n" for k in range(n))
    return _body(uses, more)


def _immediates(n: int) -> str:
    more = "".join(f"IMM[{k + 2}] FLT32 {{{k}.5, 1.0, 2.0, 0.0}}\n" for k in range(n))
    text = _body(f"ADD TEMP[0], TEMP[0], IMM[{k + 2}]\n" for k in range(n))
    return text.replace("MOV TEMP[0], IN[0]\n", more + "MOV TEMP[0], IN[0]\n", 1)


def _outputs(n: int) -> str:
    head = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n" + "".join(f"DCL OUT[{k + 1}], GENERIC[{k}]\n" for k in range(n))
    return head + "MOV OUT[0], IN[0]\n" + "".join(f"MOV OUT[{k + 1}], IN[0]\n" for k in range(n)) + "END\n"


def _loops_in_a_row(n: int) -> str:
    line = "BGNLOOP\nADD TEMP[0].x, TEMP[0], IMM[0]\nFSGE TEMP[2].x, TEMP[0], TEMP[1]\nUIF TEMP[2].xxxx\nBRK\nENDIF\nENDLOOP\n"
    return _body([line * n])


_IF, _UNIFORM = "IF TEMP[1].xxxx\n", "IF CONST[0].xxxx\n"
_LOOP_END = "BRK\nENDLOOP\n"

_STRUCTURES: dict[str, Bomb] = {
    "empty lines": lambda n: HEAD + "\n" * n + TAIL,
    "one comment": lambda n: HEAD + "# " + "x" * n + "\n" + TAIL,
    "comments": lambda n: HEAD + "# x\n" * n + TAIL,
    "a long integer": lambda n: HEAD.replace("UINT32 {1,", "UINT32 {" + "9" * n + ",") + TAIL,
    "a long float": lambda n: HEAD.replace("{1.0,", "{0." + "9" * n + ",") + TAIL,
    "a long index": lambda n: _body([f"MOV TEMP[0], TEMP[{'0' * n}1]\n"]),
    "a long name": lambda n: _body(["X" * n + " TEMP[0], TEMP[1]\n"]),
    "a long semantic": lambda n: _body([], f"DCL OUT[1], {'Y' * n}[0]\n"),
    "a long line": lambda n: HEAD + "MOV TEMP[0]," + " " * n + "TEMP[1]\n" + TAIL,
    "brackets": lambda n: _body(["MOV TEMP[0], TEMP" + "[" * n + "0" + "]" * n + "\n"]),
    "garbage": lambda n: HEAD + "@;$ " * n + "\n" + TAIL,
    "wrong names": lambda n: _body("MVO TEMP[0], TEMP[1]\n" for _ in range(n)),
    "undeclared registers": lambda n: _body(f"MOV TEMP[0], CONST[{4000 + k % 9}][{k}]\n" for k in range(n)),
    "properties": lambda n: HEAD.replace("DCL IN", "PROPERTY FS_COORD_ORIGIN UPPER_LEFT\n" * n + "DCL IN", 1) + TAIL,
    "declarations": _declarations("DCL TEMP[{k}]"),
    "declared local": _declarations("DCL TEMP[{k}], LOCAL"),
    "declared twice": _declarations("DCL TEMP[0..99]"),
    "2D constants declared": _declarations("DCL CONST[1][{k}]"),
    "samplers declared": _declarations("DCL SAMP[{k}]"),
    "views declared": _declarations("DCL SVIEW[{k}], 2D, FLOAT"),
    "buffers declared": _declarations("DCL BUFFER[{k}]"),
    "a huge range": lambda n: _body([], f"DCL TEMP[100..{99 + n}]\n"),
    "huge ranges": _declarations("DCL CONST[1][0..4000]"),
    "one array": _one_array,
    "arrays": _many_arrays,
    "immediates": _immediates,
    "outputs": _outputs,
    "registers": _registers,
    "chain": _chain,
    "MOVs": _repeated("MOV TEMP[{k}&15], TEMP[1]".replace("{k}&15", "3")),
    "a lane": _repeated("ADD TEMP[0].x, TEMP[0], TEMP[1]"),
    "different sums": lambda n: _body(f"ADD TEMP[{k % 16}], TEMP[{k // 16 % 16}].yzwx, -TEMP[{k // 256 % 16}]\n" for k in range(n)),
    "pure sums": lambda n: _body(f"ADD TEMP[{k % 13 + 2}], TEMP[0], IMM[0]\n" for k in range(n)),
    "constants": lambda n: _body(f"ADD TEMP[0], TEMP[0], CONST[{k % 32}]\n" for k in range(n)),
    "2D constants": lambda n: _body((f"ADD TEMP[0], TEMP[0], CONST[1][{k % 4000}]\n" for k in range(n)), "DCL CONST[1][0..3999]\n"),
    "indirect constants": _repeated("ADD TEMP[0], TEMP[0], CONST[ADDR[0].x+{k}]"),
    "indirect immediates": _repeated("ADD TEMP[0], TEMP[0], IMM[ADDR[0].x]"),
    "indirect sources": _repeated("ADD TEMP[0], TEMP[ADDR[0].x+16](1), TEMP[1]"),
    "indirect destinations": _repeated("MOV TEMP[ADDR[0].x+16](1), TEMP[0]"),
    "indirect adds": _repeated("ADD TEMP[ADDR[0].x+16](1), TEMP[ADDR[0].x+17](1), TEMP[ADDR[0].x+18](1)"),
    "indirect inputs": _repeated("ADD TEMP[0], TEMP[0], IN[ADDR[0].x]"),
    "indexed by temporaries": _repeated("MOV TEMP[0], TEMP[TEMP[0].x+16](1)"),
    "texture offsets": _repeated("TXF TEMP[0], TEMP[0], SAMP[0], 2D, IMM[1].xyz"),
    "textures": _repeated("TEX TEMP[0], TEMP[0], SAMP[0], 2D"),
    "shadow gathers": _repeated("TG4 TEMP[0], TEMP[0], IMM[1].xxxx, SAMP[0], 2D"),
    "textured, units": lambda n: _body(
        (f"TEX TEMP[0], TEMP[0], SAMP[{k % 16}], 2D\n" for k in range(n)),
        "".join(f"DCL SAMP[{k}]\nDCL SVIEW[{k}], 2D, FLOAT\n" for k in range(1, 16)),
    ),
    "saturated": _repeated("MAD_SAT TEMP[0], TEMP[0], -|TEMP[1]|, TEMP[0].wzyx"),
    "doubles": _repeated("DFMA TEMP[0], TEMP[0], TEMP[1], TEMP[2]"),
    "nested IFs": _nested(_IF, "ENDIF\n", most=90),
    "nested uniform IFs": _nested(_UNIFORM, "ENDIF\n", most=90),
    "deep IFs": _nested(_IF, "ENDIF\n"),
    "IFs in a row": _nested(_IF, "ENDIF\n", most=1),
    "uniform IFs in a row": _nested(_UNIFORM, "ENDIF\n", most=1),
    "empty IFs": _nested(_IF, "ENDIF\n", "", most=1),
    "ELSEs": _nested(_IF, "ELSE\nADD TEMP[0].x, TEMP[0], TEMP[0]\nADD TEMP[3].x, TEMP[3], TEMP[0]\nENDIF\n", most=1),
    "IFs with work": _nested(_IF, "ENDIF\n", "POW TEMP[3], TEMP[0], TEMP[1]\nADD TEMP[0], TEMP[3], TEMP[0]\n", most=1),
    "nested loops": _nested("BGNLOOP\n", _LOOP_END, most=90),
    "deep loops": _nested("BGNLOOP\n", _LOOP_END),
    "loops in a row": _loops_in_a_row,
    "breaks": lambda n: _body(["BGNLOOP\n", *(_IF + "BRK\nENDIF\n" for _ in range(n)), _LOOP_END]),
    "continues": lambda n: _body(["BGNLOOP\n", *(_IF + "CONT\nENDIF\n" for _ in range(n)), _LOOP_END]),
    "bare breaks": lambda n: _body(["BGNLOOP\n", "BRK\n" * n, "ENDLOOP\n"]),
    "returns": lambda n: _body([_IF + "RET\nENDIF\n" for _ in range(n)]),
    "bare returns": lambda n: _body(["RET\n" * n]),
    "kills": lambda n: _body([_IF + "KILL\nENDIF\n" for _ in range(n)]),
    "unmatched ends": lambda n: _body([_IF * n, "ENDLOOP\n" * n]),
    "nested switches": _nested("SWITCH TEMP[1].xxxx\nCASE IMM[1].xxxx\n", "BRK\nENDSWITCH\n", most=90),
    "empty cases": _cases(""),
    "cases": _cases("ADD TEMP[0].x, TEMP[0], TEMP[1]\nBRK\n"),
    "falling cases": _cases("ADD TEMP[0], TEMP[0], TEMP[1]\nMUL TEMP[0], TEMP[0], TEMP[1]\nEX2 TEMP[0].x, TEMP[0]\n"),
    "uniform cases": _cases("ADD TEMP[0].x, TEMP[0], TEMP[1]\nBRK\n", True),
    "calls": _calls,
    "call tree": lambda n: _call_tree(min(n.bit_length(), 60)),
    "work in a loop": lambda n: _body(["BGNLOOP\n", *(f"MAD TEMP[{k % 16}], TEMP[{k % 7}], TEMP[1], TEMP[2]\n" for k in range(n)),
                                       "IF TEMP[0].xxxx\nBRK\nENDIF\nENDLOOP\n"]),
    "a geometry shader": lambda n: _GEOM + "MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\n" * n + "END\n",
    "barriers": lambda n: "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
    "DCL SV[0], THREAD_ID\nDCL TEMP[0..1]\nDCL BUFFER[0]\nMOV TEMP[0], SV[0]\n" + "UADD TEMP[0], TEMP[0], SV[0]\nBARRIER\n" * n
    + "STORE BUFFER[0].x, SV[0].xxxx, TEMP[0]\nEND\n",
}  # fmt: skip

BOMBS: dict[str, Bomb] = _STRUCTURES | {info.name: _of_opcode(info) for info in OPCODES.values() if info.flow is None}
"""Name of a construct: function from a count to a text."""


def count_of(bomb: Bomb, size: int) -> int:
    """The largest count, about, of which the text has `size` bytes at most."""
    few, many = (len(bomb(n)) for n in (64, 128))
    return max(1, int(64 + (size - few) / max((many - few) / 64, 0.02)))
