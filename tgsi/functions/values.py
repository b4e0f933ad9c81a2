"""Arrays of numpy to words of GLSL's values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontends.glsl.functions import Value

_TYPES = {"float": np.float32, "int": np.int32, "uint": np.uint32, "bool": np.bool_, "double": np.float64}
_RANGES = {"int": (-(1 << 31), (1 << 31) - 1), "uint": (0, (1 << 32) - 1)}
_NATURAL = {"float": "f", "double": "f", "int": "i", "uint": "u", "bool": "b"}


def array_for(value: Value, given: Any, argument: str) -> NDArray[Any]:
    """An argument as an array of the type's numbers, (..., *shape). TypeError, ValueError: it is none; the message says `argument`."""
    try:
        array = np.asarray(given)
    except (ValueError, TypeError):
        raise TypeError(f"{argument}: expected {value}, not lists of unequal lengths") from None
    shape = value.shape
    if array.shape[array.ndim - len(shape) :] != shape:
        axes = f"(..., {', '.join(map(str, shape))})"
        raise ValueError(f"{argument}: expected {value}, an array of {axes}, not of {array.shape}")
    kind, scalar = array.dtype.kind, value.scalar
    if kind not in "fiub" or array.dtype.itemsize > 8:
        raise TypeError(f"{argument}: expected {value}, not {array.dtype}")
    if scalar in ("int", "uint"):
        low, high = _RANGES[scalar]
        if kind in "fb":
            raise TypeError(f"{argument}: expected {value}, whole numbers, not {array.dtype}; array.astype(numpy.{scalar}32) converts")
        if array.size and (int(array.min()) < low or int(array.max()) > high):
            raise ValueError(f"{argument}: {value} holds {low} to {high}, not {int(array.min())} to {int(array.max())}")
    elif scalar == "bool" and kind != "b":
        raise TypeError(f"{argument}: expected {value}, True or False, not {array.dtype}; array != 0 converts")
    elif kind == "b" and scalar != "bool":
        raise TypeError(f"{argument}: expected {value}, numbers, not bool; array.astype(numpy.float32) converts")
    with np.errstate(over="ignore"):
        return array.astype(_TYPES[scalar], copy=False)


def is_natural(value: Value, given: Any) -> bool:
    """True if the numbers need no conversion to the type: such overloads are preferred."""
    kind = np.asarray(given).dtype.kind
    return kind == _NATURAL[value.scalar] or (kind == "i" and value.scalar == "uint" and isinstance(given, int) and given >= 1 << 31)


def words_of(value: Value, array: NDArray[Any], leading: tuple[int, ...]) -> NDArray[np.uint32]:
    """(invocations, words) of an array that is broadcast to the leading axes."""
    wide = np.broadcast_to(array, (*leading, *value.shape))
    flat = np.ascontiguousarray(wide).reshape(-1, max(1, int(np.prod(value.shape))))
    return flat.astype(np.uint32) if value.scalar == "bool" else flat.view(np.uint32)


def value_of(value: Value, words: NDArray[np.uint32], leading: tuple[int, ...]) -> Any:
    """The array of (invocations, words), (*leading, *shape); a number of numpy where there is no axis."""
    plain = np.ascontiguousarray(words)
    numbers = plain != 0 if value.scalar == "bool" else plain.view(_TYPES[value.scalar])
    return numbers.reshape((*leading, *value.shape))[()]
