"""Advice about operands of other languages: functions, expressions, registers without brackets, letters, signs and brackets."""

from __future__ import annotations

import re

from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.facts.traits import Reads
from tgsi.language.text.advice import synonyms, words
from tgsi.language.text.advice.fault import NUMBER, OPERAND, REGISTER, Advice, Fault, is_statement_word, quoted

_LETTERS_OF = str.maketrans("rgbastpq", "xyzwxyzw")
_INFIX = {"+": "ADD", "-": "ADD", "*": "MUL", "/": "DIV", "^": "POW", "<": "SHL", ">": "USHR", "&": "AND"}
_COMPARED = {">": "SGT", "<": "SLT", ">=": "SGE", "<=": "SLE", "==": "SEQ", "!=": "SNE"}


def word_start(fault: Fault) -> int:
    """Offset of the word that holds the place, or ends right before it."""
    at = fault.at
    while at > fault.start and (fault.text[at - 1].isalnum() or fault.text[at - 1] in "_"):
        at -= 1
    return at


def advise_function(fault: Fault) -> Advice | None:
    """Advice about `abs(x)`, `-abs(x)`, `neg(x)`, `saturate(x)`, `max(a, b)` in the place of an operand, and about `MOV(a, b)`."""
    at = word_start(fault)
    match = fault.match(r"([A-Za-z_]\w*)[ \t]*\(", at)
    if match is None or fault.head in ("DCL", "IMM", "PROPERTY"):
        return None
    name = match[1].upper()
    close = _closing(fault.text, match.end() - 1, fault.near_end)
    inner = fault.text[match.end() : close].strip()
    whole = close + 1
    if at > fault.start and fault.text[at - 1] == ".":
        return None
    if at == fault.start or not fault.text[fault.start : at].strip(" \t\n0123456789:"):
        if is_statement_word(name) or name in synonyms.OPCODES:
            fixes = (fault.fix(match.end() - 1, match.end(), " "), *((fault.fix(close, whole, ""),) if close < fault.line_end else ()))
            return Advice(f"operands follow the opcode without parentheses, as `{name} d, a`", fixes, (match.end() - 1, match.end()))
        return None
    if name in File.__members__ or name in synonyms.FILES:
        return None
    if name in ("ABS", "FABS", "NEG", "NEGATE") and re.fullmatch(OPERAND, inner):
        is_abs = "ABS" in name
        bare = inner.lstrip("-").strip("|")
        text = f"|{bare}|" if is_abs else inner[1:] if inner.startswith("-") else f"-{inner}"
        what = "bars give the absolute value" if is_abs else "a minus negates"
        return Advice(f"{what}: write `{text}`", (fault.fix(at, whole, text),), (at, match.end(1)))
    if name in ("SAT", "SATURATE", "CLAMP"):
        return Advice(f"saturation belongs to the opcode: write `{fault.head}_SAT`", (), (at, match.end(1)))
    opcode = words.opcode(name)[1] if name not in OPCODES else name
    if opcode:
        return Advice(f"an operand is a register: write {opcode} as a statement of its own, into a TEMP", (), (at, match.end(1)))
    return Advice("an operand is a register; operands have no functions but a minus and bars: `-|IN[0].xxxx|`", (), (at, match.end(1)))


def _closing(text: str, at: int, end: int) -> int:
    depth = 0
    for place in range(at, end):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return end


def advise_register(fault: Fault) -> Advice | None:
    """Advice about registers without brackets, of assemblers, and variables of other languages: `TEMP0`, `r0`, `gl_FragColor`."""
    at = word_start(fault)
    if at > fault.start and fault.text[at - 1] in "%$@":
        at -= 1
    if fault.text[at : at + 1].isdigit() and (apart := re.search(r"([A-Za-z]+)[ \t]+$", fault.text[fault.start : at])):
        at = fault.start + apart.start() if apart[1].upper() in File.__members__ else at
    if at <= fault.start or fault.text[at - 1] in ".[":
        return None
    variable = fault.match(r"([a-z]\w*(?:\.[a-z]\w*)?)(?:\[([0-9]+)\])?", at)
    if variable is not None and variable[1].upper() in synonyms.VARIABLES:
        return _variable(fault, at, variable[1].upper(), variable[2] or "")
    match = fault.match(
        r"[%$@]?([a-z]*?[a-z]|)(?:[ \t]*[\[(<{][ \t]*|\.|_|[ \t]+|)([0-9]{1,9})[ \t]*([)>}\]]?)(?:\[([0-9]+)\])?(?![0-9a-z])", at
    )
    if match is None:
        match = fault.match(r"(temp|in|out|const|samp|addr|imm|sv|sampler)()()()(?![0-9a-z_\[])", at)
    if match is None or match[0].startswith(("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")):
        return None
    name = match[1].upper()
    file = name if name in File.__members__ else synonyms.FILES.get(name) or synonyms.LETTERS.get(name) or ("TEMP" if not name else "")
    if not file:
        return None
    number = str(int(match[2] or "0"))
    register = f"{file}[{number}]" + (f"[{match[4]}]" if match[4] else "")
    if fault.head == "DCL":
        return Advice(
            f"a register has its number in brackets: write `{register}`", (fault.fix(at, match.end(), register),), (at, match.end())
        )
    if not (
        fault.before.endswith((",", "|", "-")) or fault.text[fault.start : at].strip().upper().endswith(fault.head) or "[" in fault.before
    ):
        return None
    return Advice(f"a register is written FILE[number]: write `{register}`", (fault.fix(at, match.end(), register),), (at, match.end()))


def _variable(fault: Fault, at: int, name: str, index: str) -> Advice:
    file, _, semantic = synonyms.VARIABLES[name].partition(" ")
    end = at + len(name) + (len(index) + 2 if index else 0)
    if not semantic:
        return Advice(f"write `{file}[{index or '0'}]`, declared as `DCL {file}[{index or '0'}]`", (), (at, end))
    shown = f"{semantic}[{index}]" if index and SEMANTICS[semantic].indices != 1 else semantic
    return Advice(f"declare a register that means it, as `DCL {file}[0], {shown}`, and write `{file}[0]`", (), (at, end))


def advise_expression(fault: Fault) -> Advice | None:
    """Advice about assignments, sums and products: every instruction is an opcode with operands."""
    text = fault.text[fault.start : fault.line_end]
    label = re.match(r"[ \t]*[0-9]+[ \t]*:[ \t]*", text)
    start = fault.start + (label.end() if label else 0)
    assigned = fault.match(
        rf"(?:MOV[ \t]+)?({REGISTER})[ \t]*:?=[ \t]*({OPERAND})(?:[ \t]*([-+*/])[ \t]*({OPERAND}))?[ \t]*;?[ \t]*(?=\n|\Z)", start
    )
    if assigned is not None and fault.at < assigned.end():
        return _rewritten(fault, start, assigned.end(), assigned[1], assigned[2], assigned[3], assigned[4])
    moved = fault.match(rf"MOV[ \t]+({REGISTER})[ \t]*,[ \t]*({OPERAND})[ \t]*([-+*/])[ \t]*({OPERAND})[ \t]*;?[ \t]*(?=\n|\Z)", start)
    if moved is not None and fault.at < moved.end():
        return _rewritten(fault, start, moved.end(), moved[1], moved[2], moved[3], moved[4])
    here = fault.text[fault.at : fault.at + 2]
    if fault.match(r"[%$@]?[A-Za-z_]?\w*[ \t]*=[^=]", fault.start) and fault.at <= fault.start + 1 and here[:1] in "%$@":
        return Advice("values have no names: an instruction writes its first operand, a register, as `ADD TEMP[0], IN[0], IN[1]`")
    if (arrow := fault.match(r"<-|->|=>")) and fault.before.endswith("]"):
        return Advice(
            "operands are separated by commas, there are no arrows", (fault.fix(fault.start + len(fault.before), arrow.end(), ","),)
        )
    if fault.head in ("IF", "UIF") and (compared := fault.match(r"([<>=!]=|[<>])")):
        opcode = _COMPARED[compared[1]]
        return Advice(f"{fault.head} tests one value: compare first, as `{opcode} TEMP[0].x, a, b`, then write `IF TEMP[0].xxxx`")
    if fault.match(rf"(?:[-+*/%^&]|\*\*|<<|>>)[ \t]*(?:[A-Z]|{NUMBER})") and re.search(r"[\]|wxyz]$", fault.before):
        opcode = _INFIX.get(here[0], "MOD")
        return Advice(f"operands are not expressions: compute with {opcode} into a TEMP first", ())
    if here[:1] == "=" and fault.head not in ("PROPERTY", "DCL", "IMM"):
        if fault.before.endswith("]"):
            return Advice("operands are separated by commas, there is no `=`", (fault.fix(fault.at, fault.at + 1, ","),))
        return Advice("there is no assignment: an instruction is an opcode with operands, as `MOV OUT[0], IN[0]`")
    if fault.at == fault.start and (match := fault.match(rf"{REGISTER}")):
        return Advice(f"a statement begins with its opcode, as `MOV {match[0]}, IN[0]`", at=(fault.at, match.end()))
    return None


def _rewritten(fault: Fault, start: int, end: int, d: str, a: str, sign: str | None, b: str | None) -> Advice:
    if sign is None or b is None:
        text = f"MOV {d}, {a}"
    else:
        second = (b[1:] if b.startswith("-") else f"-{b}") if sign == "-" else b
        text = f"{_INFIX[sign]} {d}, {a}, {second}"
    return Advice(f"there are no expressions, every instruction begins with its opcode: write `{text}`", (fault.fix(start, end, text),))


def advise_letters(fault: Fault) -> Advice | None:
    """Advice about swizzles and masks: other letters, other places."""
    if "COMPONENTS" in fault.expects and fault.before.endswith("."):
        letters = fault.word
        if twice := fault.match(r"\.(?=[xyzw]+)"):
            return Advice("one point stands before the channels: leave the second out", (fault.fix(fault.at, twice.end(), ""),))
        if fault.match(r"\.|\n|\Z|[ \t]") and not letters:
            place = fault.text.rindex(".", fault.start, fault.at)
            end = fault.at + len(fault.text[fault.at : fault.line_end]) - len(fault.text[fault.at : fault.line_end].lstrip("."))
            return Advice("channels follow the point; otherwise leave it out", (fault.fix(place, end, ""),), (place, place + 1))
        translated = letters.lower().translate(_LETTERS_OF)
        if not letters or not set(translated) <= set("xyzw") or len(letters) > 4:
            return Advice("the letters after the point are channels: x, y, z and w")
        is_mask = fault.head in OPCODES and OPCODES[fault.head].num_dst > 0 and "," not in fault.before
        if is_mask or fault.head == "DCL":
            translated = "".join(channel for channel in "xyzw" if channel in translated)
        elif len(translated) not in (1, 4):
            translated = (translated + translated[-1] * 4)[:4]
        return Advice(f"channels are x, y, z and w: write `.{translated}`", (fault.fix(fault.at, fault.at + len(letters), translated),))
    if "DOT" in fault.expects and fault.before.endswith("]") and (match := fault.match(r"[xyzw]{1,4}(?![0-9A-Za-z_])")):
        return Advice(f"a point stands before the channels: write `.{match[0]}`", (fault.fix(fault.at, fault.at, "."),))
    if re.search(r"\]\.[xyzw]+$", fault.before, re.I) and (match := fault.match(r"\.[xyzw]+")):
        return Advice("an operand has one swizzle or mask: leave the second out", (fault.fix(fault.at, match.end(), ""),))
    if "DOT" in fault.expects and (match := fault.match(r"_(SAT\w*)|[ \t]*(SAT\w*)\b")):
        head = re.compile(fault.head, re.IGNORECASE).search(fault.text, fault.start)
        if head is not None and not fault.head.endswith("_SAT"):
            fixes = fault.fix(head.end(), head.end(), "_SAT"), fault.fix(fault.at, match.end(), "")
            return Advice(f"saturation belongs to the opcode: write `{fault.head}_SAT`", fixes)
    return None


def advise_sign(fault: Fault) -> Advice | None:
    """Advice about signs and other marks before an operand."""
    before, at = fault.before, fault.at
    if fault.match("--|- -"):
        return Advice("two signs cancel out: leave both out", (fault.fix(at, at + 2, ""),))
    if before.endswith("-") and fault.match("-") and fault.text[at - 1] == "-":
        return Advice("two signs cancel out: leave both out", (fault.fix(at - 1, at + 1, ""),))
    if (match := fault.match(rf"\+(?={OPERAND})")) and "FILE" in fault.expects:
        return Advice("a source has no plus sign: leave it out", (fault.fix(at, match.end(), ""),))
    if before.endswith("|") and (match := fault.match(rf"-({REGISTER})\|")):
        fixes = (fault.fix(at - 1, match.end(), f"-|{match[1]}|"),)
        return Advice(f"the sign stands before the bars: write `-|{match[1]}|`", fixes)
    if before.endswith("|") and fault.match(r"\|"):
        close = fault.text.find("||", at + 1, fault.line_end)
        fixes = (fault.fix(at, at + 1, ""), *((fault.fix(close, close + 1, ""),) if close > 0 else ()))
        return Advice("one bar stands at each side: `|IN[0]|`", fixes)
    if product := fault.match(rf"({NUMBER})[ \t]*([-+*/])[ \t]*(?={OPERAND})"):
        opcode = _INFIX[product[2]]
        return Advice(f"operands are not expressions: declare {quoted(product[1])} in an IMM and compute with {opcode} before")
    if "FILE" not in fault.expects:
        if fault.match(r"\|") and before.endswith("|"):
            return Advice("one bar stands at each side: `|IN[0]|`", (fault.fix(at, at + 1, ""),))
        return None
    if fault.match("!"):
        return Advice("there is no `!`: compare with 0, as `SEQ d, a, IMM[0].xxxx`, or write NOT for integers")
    if fault.match("~"):
        return Advice("there is no `~`: write `NOT d, a` before")
    if fault.match("&"):
        return Advice("there are no references: write the register itself", (fault.fix(at, at + 1, ""),))
    if match := fault.match(r"([\"'])([^\"'\n]*)\1?"):
        return Advice(f"there are no strings: an operand is a register, and numbers stand in immediates as `{_IMM}`", (), (at, match.end()))
    if (match := fault.match(r"\(")) and (inside := fault.match(rf"\([ \t]*({OPERAND})[ \t]*\)")):
        return Advice("an operand has no parentheses: leave them out", (fault.fix(at, inside.end(), inside[1]),))
    if match:
        return Advice("operands have no parentheses and are not expressions")
    return None


_IMM = "IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}"


def advise_bracket(fault: Fault) -> Advice | None:
    """Advice about indices and brackets."""
    before = fault.before
    if before.count("[") <= before.count("]"):
        return _advise_closing(fault) or _advise_second(fault)
    advice = (_advise_first_index(fault) if before.endswith("[") else None) or _advise_index(fault)
    if advice is not None or fault.match(r"[ \t]*\]\["):
        return advice
    return _advise_second(fault)


def _advise_first_index(fault: Fault) -> Advice | None:
    """Advice about what follows an opening bracket at once."""
    at = fault.at
    if match := fault.match(r"[oOlI](?=\])"):
        digit = "0" if match[0] in "oO" else "1"
        return Advice(f"an index is a number: write `{digit}`, a digit", (fault.fix(at, at + 1, digit),))
    if fault.match(r"\]"):
        return Advice("an index is missing: write a number or `ADDR[0].x` in the brackets")
    if match := fault.match(r"\+[ \t]*([0-9]+)(?=[ \t]*\])"):
        return Advice(f"a direct index has no sign: write `{match[1]}`", (fault.fix(at, match.end(), match[1]),))
    if match := fault.match(r"-[0-9]+"):
        return Advice("a direct index is not negative; an offset follows its register, as `ADDR[0].x-1`")
    if (match := fault.match(r"(?:ADDR|A)([0-9]*)(?:\.([xyzw]))?(?=[-+\]])")) or (match := fault.match(r"(?:ADDR)()()(?=\.)")):
        register = f"ADDR[{match[1] or 0}].{match[2] or 'x'}"
        return Advice(f"the index is a register with its own brackets: write `{register}`", (fault.fix(at, match.end(), register),))
    if fault.match("[A-Za-z]"):
        return Advice("an index is a number, or a channel of a register as `ADDR[0].x` with a number added: `ADDR[0].x+2`")
    return None


def _advise_index(fault: Fault) -> Advice | None:
    """Advice about an index whose bracket is still open."""
    text, at, before = fault.text, fault.at, fault.before
    if (match := fault.match(r"([+-])[ \t]*([A-Z]+\[[0-9]+\](?:\.[xyzw])?)")) and (number := re.search(r"\[[ \t]*([0-9]+)$", before)):
        register = f"{match[2]}{'' if '.' in match[2] else '.x'}"
        if match[1] == "+":
            start = at - len(number[1]) - (len(text[fault.start : at]) - len(before))
            return Advice(
                f"the register comes first: write `{register}+{number[1]}`", (fault.fix(start, match.end(), f"{register}+{number[1]}"),)
            )
    if (match := fault.match(r"\.[0-9]*(?=\])|x[0-9a-fA-F]{1,9}(?=\])")) and (number := re.search(r"([0-9]+)$", before)):
        if match[0].startswith("."):
            return Advice(f"an index is a whole number: write `{number[1]}`", (fault.fix(at, match.end(), ""),))
        value = str(int(match[0][1:], 16))
        return Advice(f"an index is a decimal number: write `{value}`", (fault.fix(at - len(number[1]), match.end(), value),))
    if fault.match(r"[*/]"):
        return Advice("an index is a register plus or minus a number, as `ADDR[0].x+2`: multiply before, with UMUL and UARL")
    if match := fault.match(r"[ \t]*,[ \t]*([0-9]+)(?=[ \t]*\])"):
        return Advice(f"each index has its own brackets: write `][{match[1]}`", (fault.fix(at, match.end(), f"][{match[1]}"),))
    if fault.match(r"\.\.|:"):
        return Advice("an operand is one register; ranges belong to declarations")
    if fault.match(r"[-+]"):
        return Advice("an index is one register plus or minus one number: add the rest before, with UADD and UARL")
    if "RSQB" in fault.expects and not fault.match(r"[-+:.]"):
        place = fault.start + len(before)
        return Advice("the closing bracket is missing: write `]`", (fault.fix(place, place, "]"),))
    return None


def _advise_closing(fault: Fault) -> Advice | None:
    """Advice about a closing bracket where none is open."""
    at, before = fault.at, fault.before
    if match := fault.match(r"[)\]]+"):
        if match[0].startswith("]") and (word := re.search(r"([A-Za-z]+)([0-9]+)$", before)) and words.file(word[1])[1]:
            register = f"{words.file(word[1])[1]}[{word[2]}]"
            start = fault.start + word.start()
            return Advice(f"the opening bracket is missing: write `{register}`", (fault.fix(start, at + 1, register),))
        return Advice(f"nothing is open that {quoted(match[0][0])} could close: leave it out", (fault.fix(at, match.end(), ""),))
    return None


def _advise_second(fault: Fault) -> Advice | None:
    """Advice about a third index, and about one of two bars that is missing."""
    before = fault.before
    if fault.match(r"\[") and before.endswith("]"):
        return Advice("a register has at most two indices, as `CONST[buffer][index]`")
    if fault.match(r"\|") and (bare := re.search(rf"-?({REGISTER})$", before)) and "|" not in before.rpartition(",")[2]:
        place = fault.start + bare.start(1)
        return Advice("the first bar is missing: write `|` before the register", (fault.fix(place, place, "|"),))
    if "VBAR" in fault.expects and "|" in before.rpartition(",")[2]:
        place = fault.start + len(before)
        return Advice("the second bar is missing: write `|`", (fault.fix(place, place, "|"),))
    return None


def advise_sampler(fault: Fault) -> Advice | None:
    """Advice about an operand that is a word, where the opcode takes a register of a certain file."""
    info = OPCODES.get(fault.head.removesuffix("_SAT"))
    if "FILE" in fault.expects and info is not None and info.num_dst and not fault.text[fault.start : fault.at].strip().endswith(","):
        return Advice(f"{info.name} writes its first operand, a register such as `TEMP[0]`")
    if fault.found.code != "P015" or info is None:
        return None
    number = fault.text.count(",", fault.start, fault.at) - info.num_dst
    if not 0 <= number < info.num_src:
        return None
    rule = info.reads[number]
    if rule is Reads.SAMPLER:
        return Advice(f"{info.name} takes a sampler here, as `SAMP[0]`")
    return Advice("a source is a register, as `IN[0]`, `-TEMP[0].xxxx` or `|CONST[0]|`; numbers stand in immediates")
