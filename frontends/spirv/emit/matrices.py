"""Determinants and inverses of matrices."""

from __future__ import annotations

from itertools import combinations

from frontends.spirv.emit.code import Ref, Refs
from frontends.spirv.emit.floats import Floats
from frontends.spirv.emit.state import scalars


def _minors(f: Floats, matrix: list[list[Refs]], chosen: tuple[int, ...]) -> dict[tuple[int, ...], list[Ref]]:
    """Determinants of all square submatrices of some columns, by their rows."""
    size = len(matrix)
    if len(chosen) == 1:
        return {(row,): list(matrix[chosen[0]][row]) for row in range(size)}
    inner = _minors(f, matrix, chosen[1:])
    minors = {}
    for rows in combinations(range(size), len(chosen)):
        total: list[Ref] | None = None
        for place, row in enumerate(rows):
            factor = matrix[chosen[0]][row]
            minor = inner[tuple(item for item in rows if item != row)]
            if total is None:
                total = f.multiply(factor, minor)
            else:
                total = f.multiply_add(factor, f.minus(minor) if place % 2 else minor, total)
        assert total is not None
        minors[rows] = total
    return minors


def determinant(f: Floats, matrix: list[Refs]) -> list[Ref]:
    """The determinant of a square matrix."""
    split = [scalars(column, f.step) for column in matrix]
    size = len(split)
    return _minors(f, split, tuple(range(size)))[tuple(range(size))]


def inverse(f: Floats, matrix: list[Refs]) -> list[Ref]:
    """The inverse of a square matrix: cofactors, transposed, over the determinant."""
    split = [scalars(column, f.step) for column in matrix]
    size = len(split)
    every = tuple(range(size))
    cofactors: list[list[list[Ref]]] = []
    for column in every:
        minors = _minors(f, split, tuple(item for item in every if item != column))
        row_values = []
        for row in every:
            minor = minors[tuple(item for item in every if item != row)]
            row_values.append(f.minus(minor) if (row + column) % 2 else minor)
        cofactors.append(row_values)
    total = f.dot([ref for item in split[0] for ref in item], [ref for item in cofactors[0] for ref in item])
    scale = f.divide(f.number(1), total)
    flat = [ref for row in every for column in every for ref in cofactors[column][row]]
    return f.multiply(flat, f.spread(scale, size * size))
