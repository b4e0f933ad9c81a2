"""Modules as text: an instruction a line, in the words of Khronos' tools."""

from __future__ import annotations

import struct

from frontends.spirv.module.enumerants import ENUMERANTS
from frontends.spirv.module.grammar import FUNCTIONS, ROWS

_ENUMERATIONS = {"Capability": "Capability", "TypePointer": "StorageClass", "Variable": "StorageClass", "EntryPoint": "ExecutionModel"}
_NAMED = {"D": "Decoration", "X": "ExecutionMode", "G": "ImageOperands", "M": "MemoryAccess"}
_STRING = "S"
_HEADER = 5


def disassemble(module: bytes) -> str:
    """The text of a module that `write_spirv` made."""
    words = struct.unpack(f"<{len(module) // 4}I", module)
    names: dict[int, str] = {}
    lines: list[tuple[str, str]] = []
    at = _HEADER
    while at < len(words):
        count, number = words[at] >> 16, words[at] & 0xFFFF
        row = ROWS[number]
        body = list(words[at + 1 : at + count])
        type = f" %{body.pop(0)}" if row.has_type else ""
        result = f"%{body.pop(0)}" if row.has_result else ""
        operands = _operands(row.name, row.parts, body)
        if row.name == "Name":
            names[body[0]] = operands[1].strip('"')
        lines.append((result, " ".join([f"Op{row.name}{type}", *operands])))
        at += count
    version = f"{words[1] >> 16}.{words[1] >> 8 & 0xFF}"
    width = max(len(_renamed(result, names)) for result, _ in lines)
    shown = [f"{_renamed(result, names) + ' = ' if result else '':>{width + 3}}{_renamed(text, names)}" for result, text in lines]
    return "\n".join([f"; SPIR-V {version}, bound {words[3]}", *shown, ""])


def _renamed(text: str, names: dict[int, str]) -> str:
    return " ".join(f"%{names.get(int(word[1:]), word[1:])}" if word[:1] == "%" else word for word in text.split(" "))


def _operands(name: str, parts: tuple[tuple[str, str], ...], body: list[int]) -> list[str]:
    texts: list[str] = []
    place = 0
    for letters, quantifier in parts:
        while place < len(body):
            for letter in letters:
                if place >= len(body):
                    break
                text, place = _operand(name, letter, body, place, len(texts))
                texts += text
            if quantifier != "*":
                break
    return texts + [str(word) for word in body[place:]]


def _operand(name: str, letter: str, body: list[int], place: int, number: int) -> tuple[list[str], int]:
    word = body[place]
    if letter == _STRING:
        return _string(body, place)
    if letter == "I":
        return [f"%{word}"], place + 1
    if letter == "E":
        table = ENUMERANTS.get(_ENUMERATIONS.get(name, ""), {})
        return [table[word][0] if word in table else str(word)], place + 1
    if letter in "DX":
        known = ENUMERANTS[_NAMED[letter]].get(word, (str(word), ""))[0]
        rest = body[place + 1 :]
        if known == "BuiltIn":
            return [known, ENUMERANTS["BuiltIn"][rest[0]][0]], len(body)
        return [known, *(str(item) for item in rest)], len(body)
    if letter in "GM":
        table = ENUMERANTS[_NAMED[letter]]
        bits = [table[1 << bit][0] for bit in range(32) if word >> bit & 1] or ["None"]
        return ["|".join(bits), *(f"%{item}" for item in body[place + 1 :])], len(body)
    if letter == "V":
        return [f"0x{item:08x}" for item in body[place:]], len(body)
    if name == "ExtInst" and letter == "L":
        return [FUNCTIONS.get(word, str(word))], place + 1
    return [str(word)], place + 1


def _string(body: list[int], place: int) -> tuple[list[str], int]:
    data = b""
    while True:
        piece = struct.pack("<I", body[place])
        data += piece
        place += 1
        if 0 in piece:
            text = data[: data.index(0)].decode("utf-8", "replace")
            return [f'"{text}"'], place
