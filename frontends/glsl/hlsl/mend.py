"""Corrections of glslang's modules, where they differ from the meaning of HLSL."""

from __future__ import annotations

import re
import struct

from frontends.glsl.hlsl.modules import mend_module, whole_matrix_error
from frontends.glsl.hlsl.semantics import mend_semantics
from frontends.glsl.hlsl.tree import products
from tgsi.language.facts.enums import Processor


def mend(module: bytes, log: str, text: str, stage: Processor) -> tuple[bytes, list[str]]:
    """A corrected module, and errors in glslang's form for everything that cannot be corrected.

    Args:
        module: the module that glslang made.
        log: its output, with the tree (`-i`).
        text: the text that it read.
        stage: the stage of the text.
    """
    by_function, errors = products(log, text)
    try:
        module, more = mend_module(module, by_function)
        module, rest = mend_semantics(module, stage)
    except (LookupError, ValueError, struct.error) as error:
        return module, [f"ERROR: glslang made a module that is not SPIR-V ({error})"]
    return module, [*errors, *more, *rest]


def has_matrices(text: str) -> bool:
    """True if a text may have matrices, so that its tree is read."""
    return re.search(r"[1-4]x[1-4]\b|\bmatrix\b", text) is not None


def explained(text: str) -> list[str]:
    """Errors for words at which glslang crashes."""
    match = re.search(r"\b(?:u?int|bool)[2-4]x[2-4]\b", text)
    return [] if match is None else [whole_matrix_error(match[0])]
