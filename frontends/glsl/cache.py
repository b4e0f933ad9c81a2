"""Compiled modules on disk: what glslang said and made, by a digest of everything that it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from backends.sealed_files import default_files
from frontends.glsl.limits import resource_file
from tgsi.language.record import record

_FORM = "2"
"""Changes where the arguments of the compiler or the form of the content change."""


@record
class Module:
    """A module, the messages of the compiler, and the inputs and outputs whose locations the text states."""

    words: bytes
    log: str
    located: frozenset[str]


def key_of(parts: Iterable[str]) -> str:
    """The key of a compilation: a digest of all that it depends on."""
    digest = hashlib.sha256()
    for part in ("glsl", _FORM, resource_file(), *parts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()


def find(key: str) -> Module | None:
    """The module of a key; None if it is not on disk, or nothing is kept there (TGSI_CACHE=off)."""
    files = default_files()
    data = None if files is None else files.get(key)
    if data is None:
        return None
    try:
        head, _, words = data.partition(b"\n")
        log, located = json.loads(head)
        return Module(words, log, frozenset(located))
    except (ValueError, TypeError):  # another form
        return None


def keep(key: str, module: Module) -> None:
    """Store the module of a key, if modules are kept."""
    files = default_files()
    if files is not None:
        files.put(key, json.dumps([module.log, sorted(module.located)]).encode() + b"\n" + module.words)
