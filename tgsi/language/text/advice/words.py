"""Advice about single words: synonyms from other languages, glued numbers and suffixes, nearest names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from tgsi.language.facts.enums import TARGETS, File, ImmediateType, Interpolation, Location, ReturnType
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.facts.stages import STAGES
from tgsi.language.messages import nearest_name
from tgsi.language.text.advice import synonyms
from tgsi.language.text.advice.fault import Advice, Fault, is_statement_word, quoted
from tgsi.language.text.removed import REMOVED

_STAGES = {stage.name for stage in STAGES}
_FILES = [file.name for file in File]
_ATTRIBUTES = [*SEMANTICS, *Interpolation.__members__, *Location.__members__, "INVARIANT", "LOCAL", "ARRAY", "STREAM", "PRIMITIVE"]
_SUFFIX = re.compile(
    r"(?P<root>[0-9A-Z_]+?)[_.]?(?P<suffix>SATURATED?|SAT|CLAMP|CLAMPED|PRECISE|PP|ABS|NEG|F32|F|I32|U32|FLOAT|HALF|FULL)", re.ASCII
)
_DIMENSION = re.compile(r"1D|2D|3D|CUBE|RECT|BUFFER")


def opcode(word: str, strict: bool = False) -> tuple[str, str]:
    """The hint for a word that is not an opcode, and its replacement (empty if one word is not enough)."""
    name = word.upper().removeprefix("TGSI_OPCODE_").removeprefix("OPCODE_").removeprefix("TGSI_")
    if name in synonyms.PHRASES:
        return synonyms.PHRASES[name], ""
    if name in REMOVED:
        renamed = re.fullmatch(r"its name is (\w+) now", REMOVED[name])
        return REMOVED[name], renamed[1] if renamed else ""
    if name in _STAGES:
        return "a second program begins here: one text holds one program, so write each to a text of its own", ""
    if name != word.upper() and name in OPCODES:
        return _write(name)
    if name in synonyms.OPCODES:
        return _write(synonyms.OPCODES[name])
    if re.fullmatch(r"[XV]?[PVGHDC]S_[1-6]_[0-9A-Z]+", name):
        return "this is HLSL assembly: a TGSI text begins with its stage, as FRAG", ""
    if re.match(r"TEX(?:TURE)?_?(?:[123]D|CUBE|RECT|SHADOW)", name):
        return "write `TEX`: the texture target is the last operand, as `, 2D`", "TEX"
    if name in synonyms.DECLARED:
        file = synonyms.DECLARED[name]
        return f"variables have no types and no names: declare a register, as `DCL {file}[0]`", ""
    if name in synonyms.VARIABLES:
        file, _, semantic = synonyms.VARIABLES[name].partition(" ")
        return f"there is no assignment: declare `DCL {file}[0], {semantic or 'GENERIC[0]'}` and write `MOV {file}[0], a`", ""
    if name.startswith(("DCL_", "DCL.")):
        return "declare a register by file, number and meaning, as `DCL IN[0], TEXCOORD[0], PERSPECTIVE` or `DCL SAMP[0]`", ""
    if name in synonyms.STATEMENTS:
        return _statement(synonyms.STATEMENTS[name])
    if (match := _SUFFIX.fullmatch(name)) and (root := _root(match["root"])):
        return _with_suffix(root, match["suffix"])
    if nearest := nearest_name(name, [*OPCODES, "DCL", "IMM", "PROPERTY"], 0.65):
        return f"did you mean `{nearest}`?", nearest
    return "a statement begins with an opcode, DCL, IMM or PROPERTY", ""


def _root(word: str) -> str:
    return word if word in OPCODES else synonyms.OPCODES.get(word, "")


def _with_suffix(root: str, suffix: str) -> tuple[str, str]:
    if suffix.startswith(("SAT", "CLAMP")):
        return f"write `{root}_SAT`, which clamps to 0 and 1", f"{root}_SAT"
    if suffix == "PRECISE":
        return _write(f"{root}_PRECISE")
    if suffix in ("ABS", "NEG"):
        sign = "bars around a source, as `|IN[0]|`" if suffix == "ABS" else "a minus before a source, as `-IN[0]`"
        return f"write {root} and {sign}", ""
    return f"write `{root}`: opcodes have no such suffix, and their names say the type, as ADD for floats, UADD for integers", root


def _statement(word: str) -> tuple[str, str]:
    example = {
        "DCL": "declarations are written `DCL TEMP[0..3]`, `DCL IN[0], GENERIC[0], PERSPECTIVE` or `DCL OUT[0], COLOR`",
        "IMM": "constants are written `IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}`",
        "PROPERTY": "properties are written `PROPERTY FS_COORD_ORIGIN UPPER_LEFT`",
    }
    return example[word], ""


def _write(word: str) -> tuple[str, str]:
    return f"write `{word}`", word


def file(word: str) -> tuple[str, str]:
    """As `opcode`, for a register file."""
    name = word.upper().removeprefix("TGSI_FILE_")
    file_name = name if name in _FILES else synonyms.FILES.get(name) or synonyms.LETTERS.get(name) or nearest_name(name, _FILES)
    if file_name:
        return f"write `{file_name}`" if file_name != nearest_name(word, _FILES) else f"did you mean `{file_name}`?", file_name
    return f"a register file is one of {', '.join(_FILES)}", ""


def attribute(word: str, index: str = "") -> tuple[str, str]:
    """As `opcode`, for a word of a declaration: a semantic, an interpolation mode, a location."""
    name = word.upper().removeprefix("TGSI_SEMANTIC_").removeprefix("TGSI_INTERPOLATE_").removeprefix("SEMANTIC_")
    if name != word.upper() and name in _ATTRIBUTES:
        return _write(name)
    if name in synonyms.MODES:
        mode = synonyms.MODES[name]
        return f"write `{mode}`; LINEAR is linear on the screen, PERSPECTIVE divides by w, CONSTANT is flat", mode
    if semantic := _semantic(name):
        extra = "; the depth is POSITION.z of a fragment program's outputs" if "DEPTH" in name else ""
        return f"write `{semantic}`{extra}", semantic.partition("[")[0] if index else semantic
    if (glued := re.fullmatch(r"([A-Z_]*[A-Z])_?([0-9]+)", name)) and (known := _semantic(glued[1]) or _near_semantic(glued[1])):
        spelled = f"{known.partition('[')[0]}[{int(glued[2])}]"
        return f"write `{spelled}`: an index stands in brackets", spelled
    if name in TARGETS:
        return "the target belongs to the SVIEW, as `DCL SVIEW[0], 2D, FLOAT`, and to the instruction, as `, 2D`", ""
    if name in ReturnType.__members__:
        return "the type of texels belongs to the SVIEW, as `DCL SVIEW[0], 2D, FLOAT`", ""
    if name in _FILES:
        return "each DCL declares registers of one file: write another DCL, or a range as `[0..3]`", ""
    if near := nearest_name(name, _ATTRIBUTES):
        return f"did you mean `{near}`?", near
    return "it is a semantic such as GENERIC[0] or COLOR, a mode (CONSTANT, LINEAR, PERSPECTIVE) or a location (CENTROID, SAMPLE)", ""


def _semantic(name: str) -> str:
    return name if name in SEMANTICS else synonyms.SEMANTICS.get(name, "")


def _near_semantic(name: str) -> str:
    return nearest_name(name, SEMANTICS) if len(name) > 3 else ""


def target(word: str) -> tuple[str, str]:
    """As `opcode`, for a texture target: its dimension, and whether it is an array, compares or has samples, in any order."""
    name = word.upper()
    dimension = _DIMENSION.search(name.replace("RECTANGLE", "RECT").replace("CUBEMAP", "CUBE"))
    if dimension is not None:
        is_array, is_shadow = "ARRAY" in name, "SHADOW" in name or "DEPTH" in name or "COMPARE" in name
        samples = "_MSAA" if re.search(r"MSAA|MS\b|MS_|MULTISAMPLE|MSARRAY", name) else ""
        stem = dimension[0]
        joined = "" if stem == "CUBE" else "_"
        spelling = f"{'SHADOW' * is_shadow}{stem}{(joined + 'ARRAY') * is_array}{samples}"
        if spelling in TARGETS:
            return _write(spelling)
    if near := nearest_name(name, TARGETS):
        return f"did you mean `{near}`?", near
    return "a target is a word as `2D`, `CUBE` or `SHADOW2D`; `--explain P011` lists them", ""


def _by_table(table: Mapping[str, str], names: Callable[[], list[str]], what: str) -> Callable[[str], tuple[str, str]]:
    def look_up(word: str) -> tuple[str, str]:
        name = word.upper()
        if name in table:
            return _write(table[name])
        known = names()
        if near := nearest_name(name, known):
            return f"did you mean `{near}`?", near
        return f"{what} is one of {', '.join(known)}" if len(known) <= 8 else "", ""

    return look_up


immediate_type = _by_table(synonyms.TYPES, lambda: list(ImmediateType.__members__), "a type")
"""As `opcode`, for the type of an immediate."""

return_type = _by_table(synonyms.RETURN_TYPES, lambda: [kind.name for kind in ReturnType if kind is not ReturnType.UNKNOWN], "it")
"""As `opcode`, for the type that a sampler view returns."""

property_name = _by_table(synonyms.PROPERTIES, lambda: list(PROPERTIES), "a property")
"""As `opcode`, for a property."""

_BY_CODE: Mapping[str, Callable[[str], tuple[str, str]]] = {
    "P005": opcode,
    "P006": file,
    "P011": target,
    "P021": immediate_type,
    "P024": property_name,
    "P027": return_type,
}


_NEWER: Mapping[str, Collection[str]] = {"P007": _ATTRIBUTES, "P024": PROPERTIES}
"""Words that all other dialects have, by the code of the finding."""


def advise_word(fault: Fault) -> Advice | None:
    """Advice about a word that no table of the language has."""
    found = fault.found
    word = found.span.text if found.span is not None else ""
    if fault.strict and word.upper() in _NEWER.get(found.code, ()):
        return Advice("this word is newer than Mesa 18.1, which the strict dialect keeps to")
    if found.code == "P007" and fault.match(r"[ \t\n]*DCL[ \t]+IMAGE", fault.start) and word.upper() not in _ATTRIBUTES:
        return Advice("formats of images are written whole, as `PIPE_FORMAT_R8G8B8A8_UNORM`; RAW and WR may follow")
    if found.code == "P005" and _names_sub(fault):
        return Advice(NO_NAMES, message=f"{quoted(word)} is not a label", resume=fault.line_end)
    if found.code == "P007":
        bracket = fault.match(r"\[", fault.at + len(word))
        hint, write = attribute(word, "[" if bracket else "")
    elif found.code not in _BY_CODE or not word.strip():
        return None
    elif found.code == "P005" and found.hint.startswith(("the order is", "this opcode is newer")):
        order = re.search(r"`(\w+)`", found.hint)
        return Advice(found.hint, (fault.fix(fault.at, fault.at + len(word), order[1]),) if order else ())
    elif found.code == "P005" and (label := fault.match(r"[ \t]*:(?![ \t]*[0-9])", fault.at + len(word))):
        fix = fault.fix(fault.at, label.end(), "")
        return Advice(NO_JUMPS, (fix,), message=f"{quoted(word)} is not a label", resume=label.end())
    elif found.code == "P005" and (joined := _joined(fault, word)):
        return joined
    elif found.code == "P027" and "return type" in found.message and found.hint.startswith("write"):
        return Advice(
            "the type of texels follows the target: write `, FLOAT`", (fault.fix(fault.at + len(word), fault.at + len(word), ", FLOAT"),)
        )
    elif (found.code == "P011" and word.upper().rstrip("0123456789") in (*_FILES, "")) or "[" in word:
        return Advice("the texture target is the last operand, after the sampler, as `SAMP[0], 2D`")
    else:
        hint, write = _BY_CODE[found.code](word)
    fixes = (fault.fix(fault.at, fault.at + len(word), write),) if write else ()
    resume = fault.line_end if found.code == "P005" else -1
    return Advice(hint or found.hint, fixes, resume=resume)


NO_NAMES = "subroutines have no names: write `CAL :n`, where n is the number of the BGNSUB, counted from 0"


def _names_sub(fault: Fault) -> bool:
    """True if a word follows CAL or BGNSUB in its line."""
    return re.search(r"\b(?:CAL|BGNSUB)[ \t]+$", fault.text[fault.line_start : fault.at], re.IGNORECASE) is not None


NO_JUMPS = "labels are numbers, and nothing jumps to a name: loops are BGNLOOP and ENDLOOP, subroutines BGNSUB and ENDSUB"


def _joined(fault: Fault, word: str) -> Advice | None:
    """Advice about a closing word in two parts, as `END IF`."""
    end = re.search(r"\bEND[ \t]+$", fault.text[fault.line_start : fault.at], re.IGNORECASE)
    if end is None or f"END{word.upper()}" not in OPCODES:
        return None
    start = fault.line_start + end.start()
    text = f"END{word.upper()}"
    fix = fault.fix(start, fault.at + len(word), text)
    return Advice(f"one word closes a block: write `{text}`", (fix,), (start, fault.at + len(word)), f"`END {word}` are two instructions")


def advise_joined(fault: Fault) -> Advice | None:
    """Advice about `END IF`, which reads as END and an IF without an operand."""
    return _joined(fault, fault.word) if fault.found.code == "P009" else None


_WRITTEN = re.compile(r"(?:write|did you mean) `\.?(?:IMM\[)?([^`\]]+)\]?`\??")


def advise_written(fault: Fault) -> Advice | None:
    """The correction that a builder's own hint names for the whole word."""
    written = _WRITTEN.fullmatch(fault.found.hint)
    span = fault.found.span
    if fault.found.code not in ("P012", "P013", "P017", "P018", "P020", "P025", "P029") or written is None or span is None:
        return None
    return Advice(fault.found.hint, (fault.fix(span.start, span.end, written[1]),))


def unknown_opcode(fault: Fault) -> Advice | None:
    """Advice about the first word of a statement that is not an opcode, when the syntax is wrong later, too."""
    head = fault.head
    at = fault.text.upper().find(head, fault.start) if head else -1
    after = at + len(head)
    if (
        at < 0
        or is_statement_word(head)
        or head.removesuffix("_SAT") in fault.old
        or fault.at < after
        or fault.text[after : after + 1] not in (" ", "\t", "\n", "")
    ):
        return None
    if fault.match(r"[ \t]*(?:\[|[-+*/]?=)", after):  # a register, or a variable that is assigned to
        return None
    hint, write = opcode(head)
    word = fault.text[at:after]
    fixes = (fault.fix(at, after, write),) if write else ()
    message = f"unknown opcode {quoted(word)}"
    if head in REMOVED:
        message = f"the opcode {head} was removed from TGSI"
    return Advice(hint, fixes, (at, after), message, "P005", fault.line_end)
