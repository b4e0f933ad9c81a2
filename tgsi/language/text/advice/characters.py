"""Advice about characters that no text of the language has: other scripts, typography, and remains of web pages and comments."""

from __future__ import annotations

import html
import re
import unicodedata

from tgsi.language.diagnostics import Fix
from tgsi.language.text.advice.fault import Advice, Fault, quoted

_LOOKALIKES = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0405\u0408\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "ABEKMHOPCTXISJaeopcyxiABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""

_FOREIGN = re.compile(r"[^\t\n\r\x20-\x7e]+")
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>")
_KEPT = frozenset("[]{}(),.:|+-_#=<>/;")


def plain(text: str) -> str:
    """Plain characters for look-alikes; characters without an equivalent are dropped."""
    made = ""
    for letter in text.translate(_LOOKALIKES):
        kind = unicodedata.category(letter)
        same = "".join(part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part))
        if letter.isascii():
            made += letter
        elif kind in ("Zs", "Zl", "Zp") or same.isspace():
            made += " "
        elif kind == "Pd" or letter == "\u2212":
            made += "-"
        elif same.isascii() and (same.isalnum() or set(same) <= _KEPT):
            made += same
    return made


def advise_characters(fault: Fault) -> Advice | None:
    """Advice about a character outside of ASCII. The correction covers the whole statement."""
    letter = fault.text[fault.at : fault.at + 1]
    match = _FOREIGN.match(letter)
    if match is None or letter in "\r":
        return None
    name = unicodedata.name(letter, "a control character").lower()
    stands = plain(letter)
    write = f"write `{stands}`" if stands.strip() else "write a plain space" if stands else "leave it out"
    fixes = _replace(fault, _FOREIGN)
    hint = f"this is U+{ord(letter):04X}, {name}: {write}"
    if "quotation" in name or letter in "`\u00b4":
        hint = f"this is U+{ord(letter):04X}, {name}: nothing is quoted, so leave it out"
    return Advice(hint, fixes)


def _replace(fault: Fault, pattern: re.Pattern[str]) -> tuple[Fix, ...]:
    """Replacements of all such characters from the statement's start to the end of the line."""
    places = pattern.finditer(fault.source.text, fault.start, max(fault.near_end, fault.at + 1))
    return tuple(fault.fix(match.start(), match.end(), plain(match[0])) for match in places)


def advise_page(fault: Fault) -> Advice | None:
    """Advice about entities and tags of HTML, fences of Markdown, and marks of differences and prompts."""
    if entity := _ENTITY.match(fault.source.text, fault.at):
        places = _ENTITY.finditer(fault.source.text, fault.start, fault.near_end)
        fixes = tuple(fault.fix(match.start(), match.end(), plain(html.unescape(match[0]))) for match in places)
        meant = plain(html.unescape(entity[0]))
        what = f"write `{meant}`" if meant.strip() else "write a space"
        return Advice(f"{quoted(entity[0])} is written so in HTML only: {what}", fixes, (fault.at, entity.end()))
    if tag := _TAG.match(fault.text, fault.at):
        fixes = tuple(fault.fix(match.start(), match.end(), "") for match in _TAG.finditer(fault.text, fault.start, fault.near_end))
        return Advice("tags of a web page are not a part of the text: leave them out", fixes, (fault.at, tag.end()), resume=tag.end())
    if fence := fault.match(r"```[^\n]*|~~~[^\n]*"):
        fix = fault.fix(fault.at, fence.end(), "")
        return Advice("the fence of Markdown is not a part of the text: leave it out", (fix,), (fault.at, fence.end()), resume=fence.end())
    if fault.at == fault.start and (quote := fault.match(r"(['\"])(?=[A-Z0-9])")) and fault.begins_statement(quote.end()):
        marks = re.compile(rf"{quote[1]}(?:\\n)?,?|\\n{quote[1]}").finditer(fault.text, fault.start, fault.near_end)
        return Advice("statements are not quoted: leave the quotes out", tuple(fault.fix(one.start(), one.end(), "") for one in marks))
    if fault.match("`"):
        places = re.compile("`").finditer(fault.text, fault.start, fault.near_end)
        return Advice("nothing is quoted: leave it out", tuple(fault.fix(match.start(), match.end(), "") for match in places))
    mark = fault.match(r"(?:[>+|$*-]|>>>|\[[0-9]+\]|\([0-9]+\))[ \t]*(?=[0-9A-Z])") if fault.at == fault.start else None
    if mark is not None and fault.begins_statement(mark.end()):
        return Advice("a statement begins with its opcode: leave the mark out", (fault.fix(fault.at, mark.end(), ""),))
    return None


_COMMENT = re.compile(r"//|--|;|%|!|'|\"\"\"|\(\*|<!--|REM\b|dnl\b")


def advise_comment(fault: Fault) -> Advice | None:
    """Advice about comments of other languages. Reading continues after the comment."""
    text, at = fault.text, fault.at
    way = "the strict dialect has no comments: leave it out" if fault.strict else "a comment begins with `#` and ends with its line"
    if text.startswith(("/*", "(*", "<!--"), at):
        close = {"/*": "*/", "(*": "*)", "<!": "-->"}[text[at : at + 2]]
        end = text.find(close, at)
        end = fault.line_end if end < 0 else end + len(close)
        return Advice(way, (fault.fix(at, end, ""),), (at, at + 2), _no_comment(text[at : at + 2]), resume=end)
    match = _COMMENT.match(text, at)
    if match is None:
        return None
    rest = text[match.end() : fault.line_end]
    if match[0] == ";" and fault.head in ("IMM", "DCL") and "{" in fault.before and "}" not in fault.before:
        return None  # between values
    if match[0] == ";" and text[fault.line_start : at].strip():
        if not rest.strip() or fault.begins_statement(match.end() + len(rest) - len(rest.lstrip())):
            hint = "a statement ends without a semicolon: leave it out"
            return Advice(hint, (fault.fix(at, at + 1, " " * bool(rest.strip())),), resume=at + 1)
    elif match[0] in ("--", "%", "!", "'", '"""') and (text[fault.line_start : at].strip() or re.match(r"[%!'][^ \t]", text[at : at + 2])):
        return None  # in an operand, or before a name
    fix = fault.fix(at, match.end(), "#") if not fault.strict else fault.fix(at, fault.line_end, "")
    return Advice(way, (fix,), (at, match.end()), _no_comment(match[0]), resume=fault.line_end)


def _no_comment(word: str) -> str:
    return f"`{word}` begins no comment"
