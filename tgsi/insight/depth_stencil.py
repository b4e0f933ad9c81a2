"""Depth bounds, depth and stencil tests of one sample, written from the documents and independent of the renderer's code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.formats import ChannelType, Format
from backends.formats.arrays import pack_depth_stencil, unpack_depth, unpack_stencil
from backends.pipe.enums import CompareFunc, StencilOp
from backends.pipe.state import DepthStencilAlphaState, StencilState
from tgsi.insight.events import Fate
from tgsi.language.record import record

SIGNS = {"LESS": "<", "EQUAL": "==", "LEQUAL": "<=", "GREATER": ">", "NOTEQUAL": "!=", "GEQUAL": ">="}


@record(eq=False)
class Tested:
    """Outcome of the tests: the fate, the numbers that decided it, and the bytes of the depth buffer afterwards."""

    fate: Fate
    detail: str
    data: NDArray[np.uint8]


def compares(func: CompareFunc, a: Any, b: Any) -> bool:
    """a FUNC b. With a NaN only NOTEQUAL and ALWAYS are true."""
    results = {
        "NEVER": False,
        "LESS": a < b,
        "EQUAL": a == b,
        "LEQUAL": a <= b,
        "GREATER": a > b,
        "NOTEQUAL": a != b,
        "GEQUAL": a >= b,
        "ALWAYS": True,
    }
    return bool(results[CompareFunc(func).name])


def shown(func: CompareFunc, a: object, b: object) -> str:
    """A comparison in words, such as ``0.5 < 0.25 (LESS)``."""
    name = CompareFunc(func).name
    return f"{a} {SIGNS[name]} {b} ({name})" if name in SIGNS else f"{name}, {a} and {b}"


def depth_steps(format: Format, z: np.float32) -> Any:
    """The stored form of a depth: a whole number of steps, or a float."""
    c = format.depth
    if c is None or c.type is ChannelType.FLOAT:
        return z
    top = (1 << c.size) - 1
    unit = np.fmin(np.fmax(z, np.float32(0)), np.float32(1))
    if c.size == 32:
        return int(np.rint(np.float64(unit) * top))
    return int(np.rint(unit * np.float32(top)))


def _stored(format: Format, data: NDArray[np.uint8]) -> Any:
    c = format.depth
    if c is None:
        return 0
    if c.type is ChannelType.FLOAT:
        return unpack_depth(format, data)[0]
    word = int.from_bytes(data.tobytes(), "little")
    return word >> c.shift & ((1 << c.size) - 1)


def _with_depth(format: Format, data: NDArray[np.uint8], steps: Any) -> NDArray[np.uint8]:
    c = format.depth
    if c is None:
        return data
    if c.type is ChannelType.FLOAT:
        return pack_depth_stencil(format, np.array([steps], np.float32), None, data)
    word = int.from_bytes(data.tobytes(), "little")
    mask = ((1 << c.size) - 1) << c.shift
    word = word & ~mask | int(steps) << c.shift
    texel = np.frombuffer(word.to_bytes(len(data), "little"), np.uint8).copy()
    return texel if format.stencil is not None else _without_padding(format, texel)


def _without_padding(format: Format, data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Zero the padding of formats that have only depth."""
    word = int.from_bytes(data.tobytes(), "little")
    c = format.depth
    assert c is not None
    word &= ((1 << c.size) - 1) << c.shift
    return np.frombuffer(word.to_bytes(len(data), "little"), np.uint8).copy()


def pass_tests(
    dsa: DepthStencilAlphaState,
    format: Format,
    references: tuple[int, int],
    z: np.float32,
    is_front: bool,
    data: NDArray[np.uint8],
    written: int | None = None,
) -> Tested:
    """Test and write one sample. z: within the viewport's range. written: the shader's stencil value, which replaces the reference."""
    depth, has_depth = dsa.depth, format.depth is not None
    steps, old = (depth_steps(format, z), _stored(format, data)) if has_depth else (0, 0)
    if depth.bounds_test and has_depth:
        low, high = (depth_steps(format, np.float32(v)) for v in (depth.bounds_min, depth.bounds_max))
        if not (compares(CompareFunc.GEQUAL, old, low) and compares(CompareFunc.LEQUAL, old, high)):
            return Tested(Fate.DEPTH_BOUNDS, f"the stored {number(format, old)} is not within the bounds", data)
    passes = not (depth.enabled and has_depth) or compares(depth.func, steps, old)
    detail = (
        "" if passes else shown(depth.func, number(format, steps), number(format, old)) + " is false" + _hopeless(depth.func, format, old)
    )
    fate = Fate.PASSED if passes else Fate.DEPTH
    if format.stencil is not None and dsa.stencil[0].enabled:
        is_back = not is_front and dsa.stencil[1].enabled
        face = dsa.stencil[1] if is_back else dsa.stencil[0]
        reference = references[1 if is_back else 0] if written is None else written
        value = int(unpack_stencil(format, data)[0])
        a, b = reference & face.valuemask & 255, value & face.valuemask & 255
        does_pass = compares(face.func, a, b)
        if not does_pass:
            fate, detail = Fate.STENCIL, shown(face.func, f"reference {a:#x}", f"stored {b:#x}") + " is false"
        op = face.zpass_op if does_pass and passes else face.zfail_op if does_pass else face.fail_op
        data = _with_stencil(format, data, _operated(face, op, value, reference))
        passes = passes and does_pass
    if passes and depth.enabled and depth.writemask and has_depth:
        data = _with_depth(format, data, steps)
    return Tested(fate, detail, data)


def _hopeless(func: CompareFunc, format: Format, old: Any) -> str:
    """A note about a stored depth that no fragment can beat, because the buffer was cleared for the other order."""
    c = format.depth
    top = 1 if c is None or c.type is ChannelType.FLOAT else (1 << c.size) - 1
    if func is CompareFunc.LESS and old == 0:
        return "; no depth is less than 0: the depth buffer was never cleared, or was cleared to 0"
    if func is CompareFunc.GREATER and old == top:
        return "; no depth is greater than 1: GREATER needs a depth buffer that is cleared to 0"
    return ""


def _with_stencil(format: Format, data: NDArray[np.uint8], value: int) -> NDArray[np.uint8]:
    c = format.stencil
    assert c is not None
    word = int.from_bytes(data.tobytes(), "little")
    word = word & ~(((1 << c.size) - 1) << c.shift) | (value & 255) << c.shift
    return np.frombuffer(word.to_bytes(len(data), "little"), np.uint8).copy()


def _operated(face: StencilState, op: StencilOp, old: int, reference: int) -> int:
    new = {
        StencilOp.KEEP: old,
        StencilOp.ZERO: 0,
        StencilOp.REPLACE: reference & 255,
        StencilOp.INCR: min(old + 1, 255),
        StencilOp.DECR: max(old - 1, 0),
        StencilOp.INCR_WRAP: (old + 1) & 255,
        StencilOp.DECR_WRAP: (old - 1) & 255,
        StencilOp.INVERT: old ^ 255,
    }[op]
    mask = face.writemask & 255
    return old & ~mask | new & mask


def number(format: Format, steps: Any) -> str:
    """A stored depth as a number from 0 to 1; float formats as they are."""
    c = format.depth
    if c is None or c.type is ChannelType.FLOAT:
        return f"{float(steps):.9g}"
    return f"{steps / ((1 << c.size) - 1):.9g}"
