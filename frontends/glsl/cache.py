"""Compiled modules on disk: modules and messages of glslang, by a digest of all its inputs."""

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
    """A module, the messages of the compiler, and the variables whose locations and bindings the text states (None: all bindings)."""

    words: bytes
    log: str
    located: frozenset[str]
    bound: frozenset[str] | None


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
        log, located, bound = json.loads(head)
        return Module(words, log, frozenset(located), None if bound is None else frozenset(bound))
    except (ValueError, TypeError):  # another form
        return None


def keep(key: str, module: Module) -> None:
    """Store the module of a key, if modules are kept."""
    files = default_files()
    if files is not None:
        bound = None if module.bound is None else sorted(module.bound)
        files.put(key, json.dumps([module.log, sorted(module.located), bound]).encode() + b"\n" + module.words)
