"""Advice about numbers: values of immediates in other spellings, their count and brackets, and numbers in the place of registers."""

from __future__ import annotations

import re

from tgsi.language.diagnostics import Fix
from tgsi.language.facts.enums import CHANNELS, ImmediateType
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Reads
from tgsi.language.literals import LITERALS, float_bits, write_float
from tgsi.language.text.advice.fault import NUMBER, OPERAND, Advice, Fault

_SPECIAL = {"nan": 0x7FC00000, "-nan": 0xFFC00000, "inf": 0x7F800000, "infinity": 0x7F800000, "-inf": 0xFF800000, "-infinity": 0xFF800000}
_TRUTH = {"true": 1, "false": 0}
_TYPE = re.compile(r"[ \t\n]*(?:[0-9]+[ \t]*:[ \t]*)?IMM(?:\[[ \t\n]*[0-9]+[ \t\n]*\])?[ \t\n]+([A-Za-z]+[0-9]+)", re.IGNORECASE | re.ASCII)
_FLOATS = (ImmediateType.FLT32, ImmediateType.FLT64)
_GROUP = re.compile(
    r"(?:IMM[ \t]+[a-z]+[0-9]*[ \t]*\{|(?:[a-z]*vec[234]?|float[234]?|half[234]?)[ \t]*\(|[{(])"
    rf"[ \t]*({NUMBER}(?:[ \t]*,[ \t]*{NUMBER})*)[ \t]*[}})]",
    re.I | re.A,
)
"""Numbers in the brackets of other languages."""

_REGISTERS = {Reads.SAMPLER: "SAMP", Reads.VIEW: "SVIEW", Reads.RESOURCE: "BUFFER", Reads.IMAGE: "IMAGE", Reads.VARYING: "IN"}

_LOOSE = rf"(?:[-+]?0x[0-9A-Fa-f.]+(?:p[-+]?[0-9]+)?|{NUMBER}(?![0-9A-Za-z_])|[-+]?nan|[-+]?inf(?:inity)?|true|false)"
_IMMEDIATE = (
    r"(?P<dcl>DCL[ \t]+)?IMM[ \t]*(?P<index>\[[ \t]*[0-9]+[ \t]*\])?[ \t]*,?[ \t]*(?P<type>\w+)?[ \t]*[=,]?[ \t]*"
    rf"(?P<open>[\[({{<]?)[ \t]*(?P<values>{_LOOSE}(?:[ \t]*[,;]?[ \t]*{_LOOSE})*)[ \t]*,?[ \t]*(?P<close>[\])}}>]?)"
)
"""An immediate with any brackets and commas, with or without its type."""


def spelled(kind: ImmediateType, word: str) -> str:
    """A value of another language as an immediate of this type writes it; empty if it has no such value."""
    text = word.strip().lower()
    bits = _SPECIAL.get(text.lstrip("+").removesuffix("f") if text not in _SPECIAL else text)
    if kind is ImmediateType.FLT32 and bits is not None:
        return f"0x{bits:08x}"
    if text in _TRUTH:
        return f"{_TRUTH[text]}" + ".0" * (kind in _FLOATS)
    if kind in _FLOATS:
        if re.fullmatch(r"[-+]?0x[0-9a-f]+\.?[0-9a-f]*p[-+]?[0-9]+f?", text):
            try:
                return write_float(float_bits(float.fromhex(text.rstrip("f"))))
            except OverflowError:
                return ""
        if re.fullmatch(NUMBER, text):
            short = text.rstrip("f")
            return short if LITERALS[kind].good(short) else ""
        if kind is ImmediateType.FLT32 and re.fullmatch(r"0x[0-9a-f]{1,8}", text):
            return f"0x{int(text, 16):08x}"
        return ""
    try:
        number = int(text.rstrip("ul"), 16 if "0x" in text else 2 if "0b" in text else 10)
    except ValueError:
        return ""
    width = 64 if kind.name.endswith("64") else 32
    if not -(1 << width - 1) <= number < 1 << width:
        return ""
    if kind in (ImmediateType.UINT32, ImmediateType.UINT64):
        return str(number % (1 << width))
    return str(number - (1 << width) if number >> width - 1 == 1 else number)


def advise_value(fault: Fault) -> Advice | None:
    """Advice about a value of an immediate (P023)."""
    match = _TYPE.match(fault.text, fault.start)
    span = fault.found.span
    if fault.found.code != "P023" or span is None or match is None:
        return None
    kind, word = ImmediateType[match[1].upper()], span.text
    write = spelled(kind, word)
    if write:
        why = f"{kind.name} writes `{word}` by its bits: " * (write.startswith("0x") and not word.lower().startswith("0x"))
        return Advice(f"{why}write `{write}`", (fault.fix(span.start, span.end, write),))
    if kind not in _FLOATS and re.fullmatch(NUMBER, word):
        float_kind = "FLT64" if kind.name.endswith("64") else "FLT32"
        fix = fault.fix(match.start(1), match.end(1), float_kind)
        return Advice(f"{kind.name} takes whole numbers: write the type as `{float_kind}`", (fix,))
    return Advice(f"a value of {kind.name} is {LITERALS[kind].example}")


def advise_values(fault: Fault) -> Advice | None:
    """Advice about the number of values (P022)."""
    found, span = _TYPE.match(fault.text, fault.start), fault.found.span
    if fault.found.code != "P022" or span is None or found is None:
        return None
    kind = ImmediateType[found[1].upper()]
    values = [value.strip() for value in span.text.split(",")]
    count = LITERALS[kind].count
    if len(values) == 2 * count and kind in _FLOATS and all(value.lstrip("-").isdigit() for value in values):
        joined = ", ".join(f"{a}.{b}" for a, b in zip(values[::2], values[1::2], strict=True))
        return Advice(
            f"a comma separates values, and a decimal has a point: write `{{{joined}}}`", (fault.fix(span.start, span.end, joined),)
        )
    if len(values) == 4 and count == 2 and all(map(LITERALS[kind].good, values)):
        joined = ", ".join(values[:2])
        return Advice(f"{kind.name} takes two values, since each fills two channels: write `{{{joined}}}` and a second IMM")
    if span.text.strip(" \t\n}") and len(values) < count and all(map(LITERALS[kind].good, values)):
        zero = "0.0" if kind in _FLOATS else "0"
        joined = ", ".join([*values, *[zero] * (count - len(values))])
        return Advice(f"write every value, {zero} for those of no use: `{{{joined}}}`", (fault.fix(span.start, span.end, joined),))
    return Advice(f"write {count} values; further ones belong to another IMM") if len(values) > count else None


_SHAPE = Advice("an immediate is written `IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}`")


def advise_immediate(fault: Fault) -> Advice | None:
    """Advice about an IMM with wrong syntax: its type, brackets and commas."""
    if fault.head not in ("IMM", "DCL"):
        return None
    whole = fault.match(_IMMEDIATE, fault.start)
    if whole is None:
        return _SHAPE if fault.head == "IMM" else None
    from tgsi.language.text.advice.words import immediate_type

    values = re.findall(_LOOSE, whole["values"])
    if fault.text[whole.end() : whole.end() + 1] not in "\n \t;" or "{" in fault.text[whole.end() : _line_end(fault.text, whole.end())]:
        return _SHAPE if fault.head == "IMM" else None  # followed by text that this expression does not cover
    word = (whole["type"] or "").upper()
    kind = ImmediateType.__members__.get(word) or ImmediateType.__members__.get(immediate_type(word)[1] if word else "")
    if kind is None:
        kind = ImmediateType.FLT32 if any(re.search("[.eE]", value) for value in values) else ImmediateType.INT32
    made = [spelled(kind, value) or value for value in values]
    count = LITERALS[kind].count
    made += ["0.0" if kind in _FLOATS else "0"] * (count - len(made))
    index = re.sub(r"[ \t]", "", whole["index"] or "")
    text = f"IMM{index} {kind.name} {{{', '.join(made)}}}"
    if len(made) != count or not all(map(LITERALS[kind].good, made)):
        return _SHAPE if fault.head == "IMM" else None
    hint = f"write `{text}`"
    if whole["dcl"]:
        hint = f"immediates have no DCL: {hint}"
    elif not word:
        hint = f"the type is missing (FLT32, UINT32, INT32, FLT64, UINT64 or INT64): {hint}"
    elif whole["open"] != "{":
        hint = f"values stand in braces: {hint}"
    elif not whole["close"]:
        hint = f"the closing brace is missing: {hint}"
    elif ";" in whole["values"] or re.search(r"[0-9.]\s+[-+.0-9]", whole["values"]):
        hint = f"commas separate values: {hint}"
    return Advice(hint, (fault.fix(whole.start(), whole.end(), text),), resume=whole.end())


def _resume(fault: Fault, word: str) -> int:
    """An IMM inside an operand would be read as a separate statement, so reading continues after the line."""
    return fault.line_end if word.upper().startswith("IMM") else -1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def advise_number(fault: Fault) -> Advice | None:
    """Advice about numbers where a register belongs: `1.0`, `{1.0, 0.0}`, `vec4(1.0)`."""
    head = fault.head.removesuffix("_PRECISE").removesuffix("_SAT")
    at = fault.at
    while at > fault.start and (fault.text[at - 1].isalnum() or fault.text[at - 1] in "+-."):
        at -= 1
    if head not in OPCODES or (at > fault.start and fault.text[at - 1] in "[]"):
        return None
    group = _GROUP.match(fault.text, at)
    match = group or re.compile(rf"(?:{_LOOSE}|{NUMBER})(?![0-9A-Za-z_.\[])", re.I).match(fault.text, at)
    if match is None or (not group and "{" in fault.before) or re.compile(rf"[ \t]*[-+*/][ \t]*{OPERAND}").match(fault.text, match.end()):
        return None
    words = re.findall(NUMBER, match[1]) if group else [match[0]]
    info = OPCODES[head]
    number = fault.text.count(",", fault.start, at) - info.num_dst
    if not 0 <= number < info.num_src or not fault.text[fault.start : at].rstrip().endswith("," if number or info.num_dst else head):
        return None
    rule = info.reads[number]
    if isinstance(rule, Reads) and rule in _REGISTERS and not group:
        register = f"{_REGISTERS[rule]}[{words[0].lstrip('+-')}]"
        return Advice(f"write `{register}`", (fault.fix(at, match.end(), register),), (at, match.end()))
    kind = _kind(info.src_types[number], words)
    values = [spelled(kind, word) for word in words]
    if not all(values) or len(values) > 4:
        return None
    register, fixes = _held(fault, kind, values)
    fix = fault.fix(at, match.end(), register)
    if not fixes:
        return Advice(f"numbers stand in immediates: write `{register}`", (fix,), (at, match.end()), resume=_resume(fault, match[0]))
    declared = fixes[0].text.strip()
    all_fixes = () if _has_later(fault, fixes[0].span.start) else (*fixes, fix)
    return Advice(
        f"numbers stand in immediates: declare `{declared}` and write `{register}`",
        all_fixes,
        (at, match.end()),
        resume=_resume(fault, match[0]),
    )


def _kind(type_name: str, words: list[str]) -> ImmediateType:
    if all(re.fullmatch(r"[-+]?[0-9]+", word) for word in words) and type_name in ("int", "uint"):
        return ImmediateType.INT32 if type_name == "int" or any("-" in word for word in words) else ImmediateType.UINT32
    return ImmediateType.FLT32


def _held(fault: Fault, kind: ImmediateType, values: list[str]) -> tuple[str, tuple[Fix, ...]]:
    """The register that holds the values, and the declaration that it needs."""
    read = LITERALS[kind].read
    wanted = [read(value)[0] for value in values]
    for number, item in enumerate(fault.immediates):
        is_float = item.type is ImmediateType.FLT32
        if is_float is (kind is ImmediateType.FLT32) and set(wanted) <= set(item.words):
            return _register(number, [item.words.index(word) for word in wanted]), ()
    number = len(fault.immediates)
    padded = values + ["0" if kind is not ImmediateType.FLT32 else "0.0"] * (4 - len(values))
    place = _first_instruction(fault)
    text = f"IMM[{number}] {kind.name} {{{', '.join(_with_point(kind, value) for value in padded)}}}"
    return _register(number, list(range(len(values)))), (fault.fix(place, place, f"{text}\n"),)


def _first_instruction(fault: Fault) -> int:
    """Offset of the first line that begins with an opcode; of the statement itself where that comes first."""
    for match in re.compile(r"^[ \t]*((?:[0-9]+[ \t]*:[ \t]*)?([A-Z][0-9A-Z_]*))", re.I | re.A | re.M).finditer(fault.text, 0, fault.start):
        if match[2].upper().removesuffix("_PRECISE").removesuffix("_SAT") in OPCODES:
            return match.start(1)
    return fault.start


def _register(number: int, channels: list[int]) -> str:
    letters = "".join(CHANNELS[channel] for channel in channels)
    letters += letters[-1] * (4 - len(letters))
    return f"IMM[{number}]" + (f".{letters}" if letters != CHANNELS else "")


def _with_point(kind: ImmediateType, value: str) -> str:
    """A float in the usual form, with a decimal point."""
    return f"{value}.0" if kind is ImmediateType.FLT32 and re.fullmatch(r"[-+]?[0-9]+", value) else value


def _has_later(fault: Fault, place: int) -> bool:
    return re.compile(r"(?<=\n)[ \t]*IMM\b", re.IGNORECASE).search(fault.text, place) is not None
