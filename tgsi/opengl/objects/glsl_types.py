"""Enumerants of GLSL types by name, for program queries. (OpenGL 4.6 core, table 7.3)"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.language.interface import Variable


def _types() -> dict[str, int]:
    types = {"float": GL.FLOAT, "int": GL.INT, "uint": GL.UNSIGNED_INT, "bool": GL.BOOL, "double": GL.DOUBLE}
    names = {"vec": "FLOAT_VEC", "ivec": "INT_VEC", "uvec": "UNSIGNED_INT_VEC", "bvec": "BOOL_VEC", "dvec": "DOUBLE_VEC"}
    for word, name in names.items():
        types |= {f"{word}{size}": getattr(GL, f"{name}{size}") for size in (2, 3, 4)}
    for word, name in {"mat": "FLOAT_MAT", "dmat": "DOUBLE_MAT"}.items():
        for columns in (2, 3, 4):
            for rows in (2, 3, 4):
                shape = str(columns) if columns == rows else f"{columns}x{rows}"
                types[f"{word}{shape}"] = getattr(GL, f"{name}{shape}")
                types[f"{word}{columns}x{rows}"] = types[f"{word}{shape}"]
    for word, name in {"int64_t": "INT64_ARB", "uint64_t": "UNSIGNED_INT64_ARB"}.items():
        types[word] = getattr(GL, name)
    for word, name in {"i64vec": "INT64_VEC", "u64vec": "UNSIGNED_INT64_VEC"}.items():
        types |= {f"{word}{size}": getattr(GL, f"{name}{size}_ARB") for size in (2, 3, 4)}
    shapes = {
        "1D": "1D", "2D": "2D", "3D": "3D", "Cube": "CUBE", "1DArray": "1D_ARRAY", "2DArray": "2D_ARRAY", "CubeArray": "CUBE_MAP_ARRAY",
        "2DRect": "2D_RECT", "Buffer": "BUFFER", "2DMS": "2D_MULTISAMPLE", "2DMSArray": "2D_MULTISAMPLE_ARRAY",
        "1DShadow": "1D_SHADOW", "2DShadow": "2D_SHADOW", "CubeShadow": "CUBE_SHADOW", "1DArrayShadow": "1D_ARRAY_SHADOW",
        "2DArrayShadow": "2D_ARRAY_SHADOW", "CubeArrayShadow": "CUBE_MAP_ARRAY_SHADOW", "2DRectShadow": "2D_RECT_SHADOW",
    }  # fmt: skip
    for word, prefix in {"": "", "i": "INT_", "u": "UNSIGNED_INT_"}.items():
        for shape, name in shapes.items():
            value = getattr(GL, f"{prefix}SAMPLER_{name}", None)
            if value is not None:
                types[f"{word}sampler{shape}"] = value
            value = getattr(GL, f"{prefix}IMAGE_{name}", None)
            if value is not None:
                types[f"{word}image{shape}"] = value
    return types


TYPES = _types()


class Shape(NamedTuple):
    """The shape of a variable: columns of each element, components of each column, elements, and 32-bit words of a component."""

    columns: int
    rows: int
    elements: int
    words: int

    @property
    def registers(self) -> int:
        """Registers of a column: two for three or four doubles."""
        return -(-self.rows * self.words // 4)


def type_of(name: str) -> int:
    """The enumerant of a type, or of an array's element type; GL_FLOAT for types without an enumerant."""
    return TYPES.get(name.partition("[")[0], GL.FLOAT)


def shape_of(name: str) -> Shape:
    """The shape of a type such as dmat3x2[2]."""
    stem, _, sizes = name.partition("[")
    elements = prod(int(size) for size in sizes.replace("]", "").split("[")) if sizes else 1
    words = 2 if stem.startswith(("d", "i64", "u64", "int64", "uint64")) else 1
    if "mat" in stem:
        columns, _, rows = stem[stem.index("mat") + 3 :].partition("x")
        return Shape(int(columns), int(rows or columns), elements, words)
    return Shape(1, int(stem[-1]) if "vec" in stem else 1, elements, words)


def elements_of(variable: Variable) -> Iterator[tuple[str, Variable]]:
    """A variable under its names in queries: arrays end with [0], arrays of arrays have one name per outer element."""
    if len(variable.sizes) > 1:
        for index in range(variable.sizes[0]):
            yield from elements_of(variable.element(index))
    else:
        yield (f"{variable.name}[0]" if variable.sizes else variable.name), variable
