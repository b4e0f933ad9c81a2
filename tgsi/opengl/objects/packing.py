"""Packing of uniforms: struct letters of types, and the types whose packed values equal the constants' layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tgsi.language.interface import Variable

SCALARS = {"float": "f", "int": "i", "uint": "I", "bool": "I", "double": "d", "int64_t": "q", "uint64_t": "Q"}
SIZES = {"f": 4, "i": 4, "I": 4, "d": 8, "q": 8, "Q": 8}


def is_plain(variable: Variable, letter: str, count: int) -> bool:
    """True if packed values have the constants' layout."""
    row = variable.rows * SIZES[letter]
    is_tight = variable.columns == 1 or variable.matrix_stride == row
    is_row = count == 1 or (bool(variable.strides) and variable.strides[0] == row * variable.columns)
    return variable.scalar != "bool" and is_tight and is_row
