"""Conversion of arrays that users give to 32-bit words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backends.run.result import Bits, Floats
from tgsi.language.facts.enums import File
from tgsi.language.program import Program


def words(name: str, data: ArrayLike) -> Bits:
    """32-bit words of an array. 32-bit numbers are reinterpreted; other floats, and integers that fit, are converted.

    Raises ValueError or TypeError for numbers that 32 bits cannot hold; the message calls the array `name`.
    """
    array = _array(name, data)
    if array.dtype in (np.uint32, np.int32, np.float32):
        return np.ascontiguousarray(array).view(np.uint32)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    if array.dtype.kind in "iub":
        wide = array.astype(np.int64) if array.dtype.kind != "u" or array.dtype.itemsize < 8 else array
        if wide.size and (int(wide.min()) < -(1 << 31) or int(wide.max()) >= 1 << 32):
            raise ValueError(f"{name} holds integers that do not fit into 32 bits")
        return np.asarray(wide & 0xFFFFFFFF, dtype=np.uint32)
    raise TypeError(f"{name} must hold float32 or 32-bit integers, not {array.dtype}")


def floats(name: str, data: ArrayLike) -> Floats:
    """32-bit floats of an array: uint32 is taken as their bits, other integers are converted. Raises the errors of `words`."""
    array = _array(name, data)
    if array.dtype != np.uint32 and array.dtype.kind in "iub":
        return np.ascontiguousarray(array, dtype=np.float32)
    return words(name, array).view(np.float32)


def flag(name: str, value: object) -> bool:
    """Boolean from a boolean of Python or numpy, or from an integer. TypeError for anything else; the message names the argument."""
    if not isinstance(value, int | np.bool_):
        raise TypeError(f"{name} must be True or False, not {type(value).__name__}")
    return bool(value)


def inputs_by_number(program: Program, by_vertex: bool) -> str:
    """The message about inputs by name: the registers that have the names."""
    ports = {} if program.interface is None else {port.semantic: port.name for port in program.interface.inputs.values()}
    rows = []
    for item in program.declared(File.IN):
        semantic = "" if item.semantic is None else str(item.semantic)
        name = ports.get(semantic or f"GENERIC[{item.first}]") or semantic
        rows.append(f"IN[{item.first}]" + (f" is {name}" if name else ""))
    shape = "(primitives, vertices, registers, 4)" if by_vertex else "(invocations, registers, 4)"
    told = f": {', '.join(rows[:16])}" if rows else ""
    return f"inputs: expected an array of shape {shape}, not a mapping; numpy.stack makes one of the registers, in their order{told}"


def _array(name: str, data: object) -> NDArray[Any]:
    try:
        return np.asarray(data)
    except ValueError:
        raise ValueError(f"{name} must be one array, or lists of equal lengths") from None


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """The mapping `value`, or an empty one for None. TypeError for anything else."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict, not {type(value).__name__}")
    return value


def buffer_words(name: str, data: ArrayLike | bytes) -> Bits:
    """Copy of a buffer's 32-bit words, from an array as `words` reads it, or from bytes (`bytes` or uint8).

    Raises ValueError if the number of bytes is not a multiple of 4, and the errors of `words`.
    """
    array = np.frombuffer(data, np.uint8) if isinstance(data, bytes | bytearray | memoryview) else _array(name, data)
    if array.dtype != np.uint8:
        return words(name, array).reshape(-1).copy()
    if array.size % 4:
        raise ValueError(f"{name} must hold whole 32-bit words, not {array.size} bytes")
    return np.frombuffer(array.tobytes(), np.uint32).copy()


def read_array(source: Path | object) -> NDArray[Any]:
    """Numbers of a .npy file (pickled objects are refused) or of nested lists of equal lengths. ValueError for anything else."""
    try:
        array: NDArray[Any] = np.load(source, allow_pickle=False) if isinstance(source, Path) else np.asarray(source)
    except ValueError:
        raise ValueError("expected numbers in lists of equal lengths") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        raise ValueError("expected numbers")
    return array
