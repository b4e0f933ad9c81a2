"""Dumps of every kernel that a process compiles, for reading generated code: `TGSI_DUMP=DIRECTORY`.

Kernels of the cache on disk and ready-made ones have no text, so both are bypassed while files are written. A name is the first part of the
key and some digits of its digest, so the same kernel has the same files in every run, and runs can be compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import llvmlite.binding as llvm

from backends.llvm.engine.codegen import assembly, optimized_module, way_of
from passes.analysis.drawings import draw_flow, draw_values
from tgsi.language.facts.enums import Processor
from tgsi.language.text.parser import parse

if TYPE_CHECKING:
    from backends.llvm.builder.function import Module

_BEGINNINGS = tuple(f"{stage.name}\n" for stage in Processor)


def kernel_name(parts: Sequence[object], cpu: str) -> str:
    """The name of a kernel's files: the first part of its key, and digits of the digest of all parts."""
    digest = hashlib.sha256("\0".join([cpu, *map(repr, parts)]).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{re.sub('[^A-Za-z0-9_-]', '_', str(parts[0]))}-{digest[:12]}"


def write_files(folder: str, parts: Sequence[object], module: Module, cpu: str) -> None:
    """Write the files of a kernel in the order of its compilation, so that the earlier ones exist if LLVM fails.

    NAME.key: the parts of its key, one a line. NAME.tgsi: its program, if it has one, with NAME.flow.dot and NAME.values.dot, drawings for
    Graphviz. NAME.ll: LLVM's text after the passes, with NAME.ll.dot, its control flow, a digraph for each function. NAME.s: assembly.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    start = place / kernel_name(parts, cpu)

    def write(ending: str, text: str) -> None:
        start.with_name(start.name + ending).write_text(text, encoding="utf-8", errors="surrogateescape")

    write(".key", "".join(f"{part!r}\n" for part in parts))
    for text in _programs(parts):
        write(".tgsi", text)
        program = parse(text)
        write(".flow.dot", draw_flow(program))
        write(".values.dot", draw_values(program))
    write(".ll", module.text())  # overwritten below, unless LLVM rejects it
    text, machine, passes = way_of(module.text(), cpu)
    parsed = optimized_module(text, machine, passes)
    write(".ll", str(parsed))
    write(".ll.dot", "\n".join(_flow(function) for function in parsed.functions if not function.is_declaration))
    write(".s", assembly(module.text(), cpu))


def _programs(part: object) -> Iterator[str]:
    """Texts of programs in a part of a key."""
    if isinstance(part, str):
        if part.startswith(_BEGINNINGS):
            yield part
    elif isinstance(part, (tuple, list)):
        for item in part:
            yield from _programs(item)


def _flow(function: llvm.ValueRef) -> str:
    """LLVM's drawing of a function, whose blocks are named by their order instead of their addresses."""
    text: str = llvm.get_function_cfg(function)
    numbers: dict[str, int] = {}
    return re.sub("Node0x[0-9a-f]+", lambda match: f"b{numbers.setdefault(match[0], len(numbers))}", text)
