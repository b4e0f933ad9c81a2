"""Comparison of a scene's outputs with the recorded ones."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi.language.record import record
from tgsi.tools.replay.scene import Layout
from tgsi.tools.replay.units import Distance, distances, float_distance, spell_pixel

STATISTICS_WITHOUT_COUNT = 7
"""Index of the fragment shader invocations in pipeline statistics. The recording renderer never counted them."""

SMALLEST_FLOAT = 2.0**-40
"""Nonzero words of stream output below this value as floats are treated as integers and must be equal."""


@record
class Tolerance:
    """Allowed deviation: `max_diff` units per channel, exceeded in at most the fraction `max_pixels` of the drawn pixels."""

    max_diff: float = 0.0
    max_pixels: float = 0.0


@record
class Verdict:
    """Result of the comparison of one output. `reason` is "" if it passed; `mask` marks pixels that differ."""

    output: str
    passed: bool
    reason: str = ""
    differing: int = 0
    _: KW_ONLY
    allowed: int = 0
    changed: int = 0
    worst: float = 0.0
    mask: NDArray[np.bool_] | None = None

    def as_json(self) -> dict[str, Any]:
        """The numbers as plain data. An infinite distance becomes null."""
        return {
            "output": self.output,
            "passed": self.passed,
            "reason": self.reason,
            "differing": self.differing,
            "allowed": self.allowed,
            "changed": self.changed,
            "worst": self.worst if np.isfinite(self.worst) else None,
        }


def _exceeds(per_channel: list[Distance], limit: float) -> NDArray[np.bool_]:
    """Mask of the pixels in which a channel deviates by more than `limit` units, or at all if the format is exact."""
    bad: NDArray[np.bool_] = np.logical_or.reduce([d.values > (0.0 if d.is_exact else limit) for d in per_channel])
    return bad


def compare_image(output: str, layout: Layout, ours: bytes, reference: bytes, cleared: bytes, tolerance: Tolerance) -> Verdict:
    """Compare two images of `layout`. `cleared` is the image after the scene's clears, from which drawn pixels are recognized."""
    channels = distances(layout.format, ours, reference)
    bad = _exceeds(channels, tolerance.max_diff)
    differing = int(bad.sum())
    changed = int(_exceeds(distances(layout.format, cleared, reference), tolerance.max_diff).sum())
    allowed = int(tolerance.max_pixels * changed + 1e-9)
    shape = (layout.layers, layout.height, layout.width)
    worst = max((float(d.values.max()) for d in channels if d.values.size), default=0.0)
    passed = differing <= allowed
    reason = "" if passed else _describe(output, layout, channels, bad, (differing, allowed, changed), ours, reference)
    return Verdict(output, passed, reason, differing=differing, allowed=allowed, changed=changed, worst=worst, mask=bad.reshape(shape))


def _describe(
    output: str,
    layout: Layout,
    per_channel: list[Distance],
    bad: NDArray[np.bool_],
    counts: tuple[int, int, int],
    ours: bytes,
    reference: bytes,
) -> str:
    differing, allowed, changed = counts
    channel = max(per_channel, key=lambda d: float(d.values[bad].max()))
    index = int(np.argmax(bad))
    layer, rest = divmod(index, layout.width * layout.height)
    y, x = divmod(rest, layout.width)
    place = f"({x}, {y})" + (f" of layer {layer}" if layout.layers > 1 else "")
    size = layout.format.block_bytes
    is_, should = (spell_pixel(layout.format, data[index * size : (index + 1) * size]) for data in (ours, reference))
    return (
        f"{output}: {differing} pixels differ ({allowed} of {changed} drawn may), {_amount(channel, bad)};"
        f" first at {place}: ({is_}) instead of ({should})"
    )


def _amount(channel: Distance, bad: NDArray[np.bool_]) -> str:
    worst = float(channel.values[bad].max())
    if np.isinf(worst):
        return f"{channel.letter} by a NaN or an infinity"
    return f"{channel.letter} by up to {worst:.6g} {channel.unit}"


def compare_words(output: str, ours: bytes, reference: bytes) -> Verdict:
    """Compare buffers of integers: every byte must be equal."""
    a, b = (np.frombuffer(data, np.uint8) for data in (ours, reference))
    return _judge_buffer(output, a != b, ours, reference, 1)


def compare_floats(output: str, ours: bytes, reference: bytes, tolerance: Tolerance) -> Verdict:
    """Compare stream output: float32 words within `tolerance.max_diff` units, words that look like integers exactly."""
    whole = len(reference) // 4 * 4
    a, b = (np.frombuffer(data[:whole], np.uint32) for data in (ours, reference))
    x, y = a.view(np.float32), b.view(np.float32)
    near = float_distance(x, y) <= tolerance.max_diff
    quiet = np.isin(a & np.uint32(0x7FFFFFFF), 0x7FC00000) & np.isin(b & np.uint32(0x7FFFFFFF), 0x7FC00000)
    bad = (a != b) & ~(near & _is_float(x) & _is_float(y)) & ~quiet
    tail = np.frombuffer(ours[whole:], np.uint8) != np.frombuffer(reference[whole:], np.uint8)
    if bad.any() or not tail.any():
        return _judge_buffer(output, bad, ours, reference, 4)
    return _judge_buffer(output, np.concatenate((np.zeros(whole, np.bool_), tail)), ours, reference, 1)


def _is_float(values: NDArray[np.float32]) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        size = np.abs(values)
        return np.asarray((size == 0.0) | ((size >= SMALLEST_FLOAT) & (size < np.inf)))


def _judge_buffer(output: str, bad: NDArray[np.bool_], ours: bytes, reference: bytes, unit: int) -> Verdict:
    differing = int(bad.sum())
    if not differing:
        return Verdict(output, True, changed=len(bad))
    at = int(np.argmax(bad)) * unit // 4 * 4
    is_, should = (data[at : at + 4].hex() for data in (ours, reference))
    what = "words" if unit == 4 else "bytes"
    return Verdict(
        output,
        False,
        f"{output}: {differing} of {len(bad)} {what} differ; first at byte {at}: {is_} instead of {should}",
        differing,
        changed=len(bad),
    )


def compare_query(number: int, kind: str, ours: tuple[int, ...], reference: tuple[int, ...]) -> Verdict:
    """Compare query results: all numbers must be equal, except the one that was never counted."""
    output = f"query {number}"
    kept = slice(STATISTICS_WITHOUT_COUNT) if kind == "PIPELINE_STATISTICS" else slice(None)
    if ours[kept] == reference[kept]:
        return Verdict(output, True)
    return Verdict(output, False, f"{output} ({kind}): {list(ours)} instead of {list(reference)}", 1)
