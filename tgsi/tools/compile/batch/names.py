"""Names of inputs and outputs, as far as every command needs them; `walk` has folders, patterns and names of several outputs."""

from __future__ import annotations

import os
from typing import NamedTuple

MAGIC = "*?["


class Unread(NamedTuple):
    """An input that could not be read, and the reason, as speech: "no such file or directory"."""

    name: str
    reason: str


def shown(name: str) -> str:
    """A file's name on one line: control characters and undecodable bytes as escapes."""
    return name if name.isprintable() else "".join(_escaped(letter) for letter in name)


def _escaped(letter: str) -> str:
    if letter.isprintable():
        return letter
    if "\udc80" <= letter <= "\udcff":  # an undecodable byte
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return letter.encode("unicode_escape", "surrogatepass").decode()


def is_folder(output: str | None) -> bool:
    """True if the argument of ``-o`` is a folder: one that exists, or a name that ends in a slash."""
    return output is not None and (output.endswith(("/", os.sep)) or os.path.isdir(output))


def is_pattern(word: str) -> bool:
    """True for a word with wildcards."""
    return any(letter in word for letter in MAGIC)


def is_plain(word: str) -> bool:
    """True for a word that names one file or stdin: no folder, and no pattern unless a file has that very name."""
    return word == "-" or not (os.path.isdir(word) or (is_pattern(word) and not os.path.lexists(word)))
