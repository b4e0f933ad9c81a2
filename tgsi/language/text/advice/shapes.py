"""Advice about the shape of statements: commas, labels, ends, ranges and attributes of declarations, properties."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.opcode_row import OpcodeInfo
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.text.advice import synonyms, words
from tgsi.language.text.advice.fault import OPERAND, REGISTER, Advice, Fault, is_statement_word, quoted, word_at
from tgsi.language.text.advice.values import advise_immediate


def advise_comma(fault: Fault) -> Advice | None:
    """Advice about commas that are missing, doubled, at the end or after the opcode."""
    at, before = fault.at, fault.before
    if fault.match(","):
        if before.upper().endswith(fault.head) and fault.head not in ("DCL", "IMM", "PROPERTY"):
            return Advice("no comma follows the opcode: leave it out", (fault.fix(at, at + 1, ""),))
        if before.endswith(","):
            return Advice("one comma separates two operands: leave the second out", (fault.fix(at, at + 1, ""),))
    if (function := re.search(r"\b(abs|neg)$", before, re.IGNORECASE)) and (bare := fault.match(REGISTER)):
        text = f"|{bare[0]}|" if function[1].lower() == "abs" else f"-{bare[0]}"
        start = fault.start + function.start()
        return Advice(f"modifiers are signs, not words: write `{text}`", (fault.fix(start, bare.end(), text),), (start, start + 3))
    if fault.head in OPCODES and "COMMA" in fault.expects and not before.endswith(",") and fault.match(rf"{OPERAND}|{_TARGET}(?!\w)"):
        place = fault.start + len(before)
        return Advice("operands are separated by commas", (fault.fix(place, place, ","),))
    return None


_TARGET = f"(?:{'|'.join(sorted(TARGETS, key=len, reverse=True))})"


def advise_end_of_statement(fault: Fault) -> Advice | None:
    """Advice about a comma or a value that waits for the next line, and finds the next statement there."""
    found = fault.found
    word = found.span.text.strip() if found.span is not None else ""
    swallowed = found.code in ("P007", "P015", "P025") and is_statement_word(word) and "\n" in fault.text[fault.start : fault.at]
    if not swallowed:
        return None
    end = fault.start + len(fault.before)
    if fault.before.endswith(","):
        what = "attribute" if fault.head == "DCL" else "operand"
        message = f"the statement is not complete, an {what} must follow the comma"
        return Advice(f"write the {what}, or leave the comma out", (), (end - 1, end), message, "P004", fault.at)
    if fault.head == "PROPERTY":
        name = fault.before.split()[-1].upper()
        info = PROPERTIES.get(name)
        hint = f"write a value after the name, as `PROPERTY {name} {next(iter(info.words or {'1': 1})) if info else 1}`"
        return Advice(hint, (), (end, end + 1), "the statement is not complete, a value must follow the property", "P004", fault.at)
    return None


def advise_count(fault: Fault) -> Advice | None:
    """Advice about the number of operands (P009)."""
    found = fault.found
    info = OPCODES.get(fault.head.removesuffix("_PRECISE").removesuffix("_SAT"))
    if found.code != "P009" or info is None or found.span is None:
        return None
    given = found.span.text if not found.span.text.upper().startswith(fault.head) else ""
    operands = [item.strip() for item in given.split(",")] if given.strip() else []
    last = found.span.start + len(found.span.text.rstrip()) if given else found.span.end
    if (operands and operands[-1] == "") or (operands and is_statement_word(operands[-1]) and "\n" in given):
        comma = fault.text.rfind(",", fault.start, last)
        return Advice(
            "no comma follows the last operand: leave it out", (fault.fix(comma, comma + 1, ""),), (comma, comma + 1), resume=comma + 1
        )
    glued = re.search(r"\]([ \t]*,[ \t]*)[xyzw]{1,4}[ \t]*$", given, re.IGNORECASE)
    if glued is not None and len(operands) == info.num_dst + info.num_src + 1:
        start = found.span.start + glued.start(1)
        fix = fault.fix(start, found.span.start + glued.end(1), ".")
        return Advice("a point stands before the channels, not a comma", (fix,), (start, start + 1))
    split = re.search(r"\.[xyzw]+((?:[ \t]*,[ \t]*[xyzw]\b)+)", given, re.IGNORECASE)
    if split is not None:
        start = found.span.start + split.start(1)
        fix = fault.fix(start, start + len(split[1]), re.sub(r"[ \t,]", "", split[1]))
        return Advice("the letters of a swizzle stand together, as `.xyxy`", (fix,), (start, start + 1))
    if found.hint and not info.is_texture:
        return None
    if info.is_texture and len(operands) == info.num_dst + info.num_src and operands[-1].upper() not in TARGETS:
        fix = fault.fix(last, last, ", 2D")
        return Advice("write the texture target after the sampler, as `, 2D`", (fix,) if operands[-1][:4].upper() == "SAMP" else ())
    if not (info.num_dst or info.num_src):
        fix = fault.fix(found.span.start, last, "")
        return Advice(f"write `{info.name}` alone", (fix,) if found.span.start > fault.start else ())
    return Advice(f"write `{usage(info)}`: {info.formula}")


def usage(info: OpcodeInfo) -> str:
    """An instruction in the letters of the opcode's formula: d for the destination, a b e f g for sources."""
    letters = ["d", "d2"][: info.num_dst] + ["a", "b", "e", "f", "g"][: info.num_src] + ["2D"] * info.is_texture
    return f"{info.name} {', '.join(letters)}".strip()


def advise_tail(fault: Fault) -> Advice | None:
    """Advice about a word that looks like an opcode in the line of a declaration or an immediate."""
    line = re.match(r"[ \t]*(?:DCL|IMM)\b", fault.text[fault.line_start : fault.at], re.IGNORECASE)
    if fault.found.code != "P005" or line is None:
        return None
    inner = replace(fault, start=fault.line_start, expects=frozenset({"COMMA"}))
    advice = advise_immediate(inner) or advise_declaration(inner)
    if advice is None:
        return None
    message = f"unexpected {quoted(fault.word)}"
    return replace(advice, message=message, code="P003", resume=fault.line_end)


def advise_opcode_shape(fault: Fault) -> Advice | None:
    """Advice about an opcode with a point, a comma or a register glued to it, and numbers before it."""
    start = fault.start
    if fault.at > start + len(fault.head) + 1 and fault.head:
        return None
    if (mark := fault.match(r"([A-Za-z]\w*)([.;:]+)(?=[ \t\n]|\Z)", start)) and is_statement_word(mark[1]):
        return Advice("nothing follows the opcode but a space: leave it out", (fault.fix(mark.start(2), mark.end(), ""),), mark.span(2))
    dotted = fault.match(r"([A-Za-z]\w*)\.([A-Za-z]\w*(?:\.\w+)*)(?=[ \t])", start)
    if dotted is not None and (dotted[1].upper() in OPCODES or dotted[1].upper() in synonyms.OPCODES):
        hint, write = words.opcode(f"{dotted[1]}_{dotted[2].replace('.', '_')}")
        if not write.startswith((dotted[1].upper(), synonyms.OPCODES.get(dotted[1].upper(), "?"))):
            root = words.opcode(dotted[1])[1] if dotted[1].upper() not in OPCODES else dotted[1].upper()
            hint, write = f"write `{root}`: opcodes have no such suffix", root
        return Advice(hint, (fault.fix(start, dotted.end(), write),), (start, dotted.end()))
    if (comma := fault.match(r"[A-Za-z]\w*(,)", start)) and is_statement_word(comma[0][:-1]):
        return Advice("no comma follows the opcode: leave it out", (fault.fix(comma.start(1), comma.end(), ""),), comma.span(1))
    if (glued := fault.match(r"([A-Za-z]\w*?)((?:IN|OUT|TEMP|CONST|SAMP|ADDR|IMM|SV)\[)", start)) and is_statement_word(glued[1]):
        return Advice(f"a space stands between {glued[1]} and its operands", (fault.fix(glued.end(1), glued.end(1), " "),), glued.span(1))
    if (number := fault.match(r"[0-9]+(?P<sign>[.)\]]|[ \t]*-|)[ \t]+(?=[A-Za-z])", start)) and fault.begins_statement(number.end()):
        digits = re.match("[0-9]+", number[0])
        fix = fault.fix(start, number.end(), f"{digits[0] if digits else 0}: ")
        return Advice("a colon follows the number of an instruction, as `0: MOV OUT[0], IN[0]`", (fix,))
    if (named := fault.match(r"[A-Za-z_]\w*:", start)) and not is_statement_word(named[0][:-1]):
        return Advice(words.NO_JUMPS, (fault.fix(start, named.end(), ""),), (start, named.end()), resume=named.end())
    return None


def advise_rest(fault: Fault) -> Advice | None:
    """Advice about text after a complete statement."""
    if match := fault.match(r"\\"):
        return Advice("a statement may continue in the next line: leave the backslash out", (fault.fix(fault.at, match.end(), ""),))
    if fault.match("[0-9]") and fault.head in OPCODES and not OPCODES[fault.head].num_src and fault.head != "CAL":
        number = fault.match("[0-9]+")
        fix = fault.fix(fault.at, number.end() if number else fault.at, "")
        return Advice(f"{fault.head} takes no number: leave it out", (fix,))
    if fault.head == "CAL" and (match := fault.match(r"[0-9]+")):
        return Advice(f"a label follows a colon: write `:{match[0]}`", (fault.fix(fault.at, fault.at, ":"),))
    if fault.head in ("CAL",) and fault.match(r"[A-Za-z]"):
        return Advice("subroutines have no names: write `CAL :n`, where n is the number of the BGNSUB, counted from 0")
    if fault.head == "PROPERTY" and (match := fault.match(r"([\"'])(\w+)\1")):
        return Advice(f"values are not quoted: write `{match[2]}`", (fault.fix(fault.at, match.end(), match[2]),))
    if fault.head == "PROPERTY" and (match := fault.match(r"[=,:][ \t]*")):
        return Advice("the value follows the name after a space", (fault.fix(fault.at, match.end(), " "),))
    if fault.head == "PROPERTY" and fault.match("-"):
        return Advice("values of properties are unsigned numbers or words")
    if fault.head == "PROPERTY":
        return Advice("a property is written `PROPERTY FS_COORD_ORIGIN UPPER_LEFT`")
    if fault.match("[{}]") and fault.head not in ("IMM", "DCL"):
        hint = "blocks have no braces: IF and ELSE end with ENDIF, BGNLOOP with ENDLOOP, BGNSUB with ENDSUB"
        return Advice(hint, (fault.fix(fault.at, fault.at + 1, ""),), resume=fault.at + 1)
    if fault.match("@") and fault.at == fault.start:
        return Advice("there are no predicates and no annotations: write IF and ENDIF around the instruction")
    return None


def advise_declaration(fault: Fault) -> Advice | None:
    """Advice about a DCL with wrong syntax: its register, range and attributes."""
    if fault.head != "DCL":
        return None
    at, before = fault.at, fault.before
    head = fault.match(r"[ \t\n]*DCL[ \t]+", fault.start)
    if head is None:
        return Advice("a declaration is written `DCL TEMP[0..3]`, or `DCL IN[0], GENERIC[0], PERSPECTIVE`")
    open_bracket = before.rfind("[") > before.rfind("]")
    if "," in before and open_bracket and before.rpartition("[")[2].strip().isdigit() is False:
        return Advice("the index of a semantic is a number from 0, as `GENERIC[0]`")
    other = re.search(r",[ \t]*([A-Za-z]+)[ \t]*\[[^\]]*$", before)
    if other is not None:
        if other[1].upper() in File.__members__:
            return Advice(
                "each DCL declares registers of one file: write another DCL, or one range",
                (),
                (fault.start + other.start(1), fault.start + other.end(1)),
            )
        return Advice(f"a semantic has one index: write a DCL for each, as `{other[1].upper()}[0]`")
    if open_bracket and before.endswith("["):
        if first := fault.match(r"\.\.[ \t]*[0-9]+"):
            return Advice(f"the first register of the range is missing: write `0{first[0]}`", (fault.fix(at, at, "0"),))
        return Advice("registers are numbered from 0: write a number, or a range as `[0..3]`")
    if open_bracket and (
        match := fault.match(r"(?:-|:|,|\.\.\.|\.\.=?|~|[ \t]*to[ \t]*|\.)[ \t]*([0-9]+)[ \t]*(?=\])", _range_sign(fault))
    ):
        sign = _range_sign(fault)
        first = re.search(r"[0-9]*$", fault.text[fault.start : sign])
        shown = f"[{first[0] if first else ''}..{match[1]}]"
        return Advice(f"a range is written with two points: `{shown}`", (fault.fix(sign, match.end(), f"..{match[1]}"),))
    if open_bracket and before.endswith(".."):
        return Advice("the last register of the range is missing, as `[0..3]`")
    if (match := fault.match(r"[ \t]*\(?\[?[ \t]*([0-9]+)[ \t]*[\])]?")) and re.search(r"\bARRAY$", before, re.IGNORECASE):
        start = fault.start + len(before)
        return Advice(f"an array number stands in parentheses: `ARRAY({match[1]})`", (fault.fix(start, match.end(), f"({match[1]})"),))
    if (colon := fault.match(r"[:=][ \t]*")) and words.attribute(word_at(fault.text, colon.end()))[1]:
        return Advice("a comma stands before the semantic", (fault.fix(at, colon.end(), ", "),))
    attribute = re.search(r",[ \t]*([A-Za-z_]+)$", before)
    if attribute and (match := fault.match(r"[ \t]*([(<{])?[ \t]*([0-9]+)[ \t]*([)>}])?")) and attribute[1].upper() in SEMANTICS:
        start = fault.start + len(before)
        shown = f"{attribute[1].upper()}[{match[2]}]"
        return Advice(f"an index stands in brackets: write `{shown}`", (fault.fix(start, match.end(), f"[{match[2]}]"),))
    if (match := fault.match(r"[A-Za-z_]\w*")) and match[0].upper() in File.__members__ and before.endswith("]"):
        return Advice("each DCL declares registers of one file: write `DCL` before", (fault.fix(at, at, "DCL "),))
    if (match := fault.match(r"[A-Za-z_]\w*")) and "COMMA" in fault.expects and not before.endswith(","):
        place = fault.start + len(before)
        return Advice(f"attributes are separated by commas: write `, {match[0]}`", (fault.fix(place, at, ", "),))
    if open_bracket and "RSQB" in fault.expects:
        place = fault.start + len(before)
        return Advice("the closing bracket is missing: write `]`", (fault.fix(place, place, "]"),))
    if at <= head.end() + 24 and "[" not in before:
        return _declared_register(fault, head.end())
    if fault.match(r"[;]"):
        return None
    if fault.match("="):
        return Advice("registers have no initial values: constants are immediates, as `IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}`")
    return None


def _range_sign(fault: Fault) -> int:
    """Offset of the text between the two numbers of a range."""
    at = fault.at
    while at > fault.start and fault.text[at - 1] in ".: -":
        at -= 1
    return at


def _declared_register(fault: Fault, at: int) -> Advice | None:
    match = fault.match(r"([A-Za-z]*[A-Za-z])[ \t]*[_(<{.]?[ \t]*([0-9]+(?:[ \t]*\.\.[ \t]*[0-9]+)?)[ \t]*[)>}]?", at)
    if match is not None:
        file = words.file(match[1])[1] or "TEMP"
        text = f"{file}[{match[2]}]"
        return Advice(f"a register has its number in brackets: write `{text}`", (fault.fix(at, match.end(), text),), (at, match.end(1)))
    named = fault.match(r"[A-Za-z_]\w*", at)
    if named is None:
        return Advice("the register file is missing, as in `DCL TEMP[0]`")
    name = named[0].upper()
    if name in File.__members__:
        return Advice(
            f"a register has an index: write `{name}[0]`, or a range as `{name}[0..3]`", (fault.fix(named.end(), named.end(), "[0]"),)
        )
    if attribute := words.attribute(name)[1]:
        return Advice(f"a register comes first: `DCL IN[0], {attribute}` for an input, `DCL OUT[0], {attribute}` for an output")
    return Advice("a register comes first, as in `DCL TEMP[0..3]`; registers have no names of their own")


def advise_attribute_place(fault: Fault) -> Advice | None:
    """Advice about a declaration with its attributes in the wrong order (P008)."""
    found = fault.found
    if found.code != "P008" or found.span is None:
        return None
    whole = fault.match(rf"[ \t\n]*DCL[ \t]+{REGISTER}((?:[ \t]*,[ \t]*[A-Z0-9_]+(?:\[[0-9]+\]|\([0-9, ]+\))?)+)", fault.start)
    if whole is None:
        return None
    parts = [part.strip() for part in re.split(r",(?![^(]*\))", whole[1].lstrip(" \t,"))]
    ordered = sorted(parts, key=_rank)
    if ordered == parts or len({_rank(part) for part in parts}) < len(parts):
        return None
    text = ", ".join(ordered)
    start = whole.start(1) + whole[1].index(parts[0])
    return Advice(
        f"the order is ARRAY, LOCAL, semantic, STREAM or PRIMITIVE, mode, location: write `{text}`", (fault.fix(start, whole.end(), text),)
    )


_RANKS = ("ARRAY", "LOCAL", "", "STREAM", "PRIMITIVE", "CONSTANT LINEAR PERSPECTIVE COLOR", "CENTER CENTROID SAMPLE", "INVARIANT")


def _rank(attribute: str) -> int:
    name = re.match(r"\w*", attribute)
    word = name[0].upper() if name else ""
    if word in SEMANTICS:
        return 2
    return next((rank for rank, row in enumerate(_RANKS) if word in row.split()), len(_RANKS))


SHAPES: Mapping[str, str] = {
    "DCL": "a declaration is written `DCL TEMP[0..3]`, or `DCL IN[0], GENERIC[0], PERSPECTIVE`",
    "IMM": "an immediate is written `IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}`",
    "PROPERTY": "a property is written `PROPERTY FS_COORD_ORIGIN UPPER_LEFT`",
}
"""Hints with the form of each statement other than instructions."""


def advise_incomplete(fault: Fault) -> Advice | None:
    """Advice about a statement that ends too soon (P004)."""
    if fault.found.code != "P004":
        return None
    if fault.head in SHAPES:
        return Advice(SHAPES[fault.head])
    if fault.before.endswith(","):
        return Advice("write the operand, or leave the comma out")
    return None
