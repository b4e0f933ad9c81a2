"""Reasons why primitives miss a pixel: positions not finite, w of 0, outside the view volume, no area, elsewhere in the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.enums import PolygonMode
from tgsi.insight.place import Place
from tgsi.insight.primitives import NO_PRIMITIVES, Primitives, areas_of, window_of

Mask = Any  # really NDArray[np.bool_], but numpy's type hints lose that in reductions


def planes_of(context: Any) -> tuple[tuple[str, tuple[float, float, float, float]], ...]:
    """Planes of the view volume: the name of their outside, and coefficients whose dot product with a position is at least 0 inside."""
    r = context.state.rasterizer
    planes = [
        ("to the left of the view (x < -w)", (1.0, 0.0, 0.0, 1.0)),
        ("to the right of the view (x > w)", (-1.0, 0.0, 0.0, 1.0)),
        ("below the view (y < -w)", (0.0, 1.0, 0.0, 1.0)),
        ("above the view (y > w)", (0.0, -1.0, 0.0, 1.0)),
    ]
    if r.depth_clip and r.depth_clip_near:
        low = 0.0 if r.clip_halfz else 1.0
        planes.append((f"in front of the near plane (z < {'-w' if low else '0'})", (0.0, 0.0, 1.0, low)))
    if r.depth_clip and r.depth_clip_far:
        planes.append(("behind the far plane (z > w)", (0.0, 0.0, -1.0, 1.0)))
    return tuple(planes)


def classes_of(context: Any, primitives: Primitives) -> Iterator[tuple[str, Mask]]:
    """Reasons why primitives are invisible, each with a mask of its primitives; the first matching reason counts."""
    p = primitives.positions
    if not _are_before_viewer(primitives):
        yield from _classes_of_positions(primitives)
    if primitives.is_window_space:
        return
    with np.errstate(all="ignore"):
        for name, coefficients in () if _cross_the_view(primitives) else planes_of(context):
            yield f"lie {name}", (_distances(p, coefficients) < 0).all(axis=1)
    if primitives.corners > 1:
        window = window_of(context, primitives)
        flat = (np.ptp(window[..., :2], axis=1) == 0).all(axis=1) if primitives.corners == 2 else areas_of(window) == 0
        yield "have no area" if primitives.corners == 3 else "have no length", flat


def _are_before_viewer(primitives: Primitives) -> bool:
    """True if all positions are finite, and in front of the viewer."""
    p = primitives.positions
    return bool(np.isfinite(p).all() and (primitives.is_window_space or (p[..., 3] > 0).all()))


def _cross_the_view(primitives: Primitives) -> bool:
    """True if each primitive before the viewer has a corner on the inner side of each plane."""
    p = primitives.positions
    is_inside = _are_before_viewer(primitives) and (np.abs(p[..., :3]) <= p[..., 3:]).any(axis=1).all()
    return bool(is_inside and (p[..., 2] >= 0).any(axis=1).all())


def _classes_of_positions(primitives: Primitives) -> Iterator[tuple[str, Mask]]:
    p = primitives.positions
    bad = ~np.isfinite(p[..., :3]).all(axis=(1, 2)) | np.isnan(p[..., 3]).any(axis=1)
    nan = np.isnan(p).any(axis=(1, 2))
    yield "have a position that is NaN, and are dropped", nan
    yield "have a position that is infinite, and are dropped", bad & ~nan
    if primitives.is_window_space:
        return
    zero = (p == 0).all(axis=(1, 2))
    yield "have all positions at 0, 0, 0, 0: nothing feeds POSITION, or a matrix is all zeros", zero
    yield "have a w of 0 at every corner", (p[..., 3] == 0).all(axis=1)
    yield "lie behind the viewer (w < 0)", (p[..., 3] < 0).all(axis=1)


def _distances(p: NDArray[np.float32], coefficients: Sequence[float]) -> NDArray[np.float32]:
    """Products of positions and a plane. A matrix product would wait for the threads of BLAS, on a busy machine for milliseconds."""
    axis = next(k for k, value in enumerate(coefficients) if value)
    return np.asarray(np.float32(coefficients[axis]) * p[..., axis] + np.float32(coefficients[3]) * p[..., 3])


def is_away(context: Any, primitives: Primitives, place: Place) -> bool:
    """True if all primitives are filled triangles in front of the viewer whose bounding boxes miss the pixel, so clipping is irrelevant."""
    r = context.state.rasterizer
    is_filled = primitives.corners == 3 and r.fill_front is PolygonMode.FILL and r.fill_back is PolygonMode.FILL
    if not is_filled or not _are_before_viewer(primitives):
        return False
    window = window_of(context, primitives)[..., :2]
    center, margin = np.array([place.x + 0.5, place.y + 0.5]), 1.0 + r.conservative_raster_dilate
    reached = (window.min(axis=1) - margin <= center) & (center <= window.max(axis=1) + margin)
    return not bool(reached.all(axis=1).any())


def shown_positions(primitives: Primitives, number: int) -> str:
    """The clip positions of a primitive, rounded."""
    return ", ".join("(" + ", ".join(f"{v:.4g}" for v in corner) + ")" for corner in primitives.positions[number].tolist())


def reasons_of_places(context: Any, primitives: Primitives, place: Place) -> Iterator[str]:
    """Reasons why the primitives of a draw have no fragment at a pixel."""
    count, unexplained = len(primitives.positions), np.ones(len(primitives.positions), bool)
    if not count:
        yield f"it has no primitive: {NO_PRIMITIVES.get(primitives.program.processor, 'the count is too small for the mode')}"
        return
    parts: list[tuple[str, Mask]] = []
    for reason, mask in classes_of(context, primitives):
        here = unexplained & mask
        if here.any():
            parts.append((reason, here))
            unexplained &= ~here
    if unexplained.all():
        yield _elsewhere(context, primitives, unexplained, place)
        return
    if not unexplained.any() and len(parts) == 1:
        reason, here = parts[0]
        what = f"all {count} primitives {reason}" if count > 1 else f"its primitive {_single(reason)}"
        first = int(np.flatnonzero(here)[0])
        yield f"{what}; primitive {first} has the positions {shown_positions(primitives, first)}{_hint(primitives)}"
        return
    counts = [f"{int(here.sum())} {reason}" for reason, here in parts]
    if unexplained.any():
        counts.append(_elsewhere(context, primitives, unexplained, place))
    yield f"of {count} primitives, {'; '.join(counts)}{_hint(primitives)}"


def _single(reason: str) -> str:
    words = {"have": "has", "lie": "lies", "are": "is"}
    first, _, rest = reason.partition(" ")
    return f"{words.get(first, first)} {rest.replace(', and are dropped', ', and is dropped')}"


def _hint(primitives: Primitives) -> str:
    """A hint that the positions look like pixel coordinates."""
    p = primitives.positions
    usual = np.isfinite(p).all() and (p[..., 3] == 1).all() and np.abs(p[..., :2]).max() > 4 and (p[..., :2] >= 0).all()
    return "; positions may be in pixels, and are wanted from -1 to 1" if usual else ""


def _viewport_away(context: Any, primitives: Primitives, mask: Mask, place: Place) -> str:
    """A text about the viewport of some primitives, if it does not have the pixel; otherwise empty."""
    numbers, viewports = np.unique(primitives.viewports[mask]), context.state.viewports
    if primitives.is_window_space or len(numbers) != 1 or numbers[0] >= len(viewports):
        return ""
    item = viewports[int(numbers[0])]
    low, high = ([t + sign * abs(s) for s, t in zip(item.scale[:2], item.translate[:2])] for sign in (-1, 1))
    if all(a <= at + 0.5 <= b for a, at, b in zip(low, (place.x, place.y), high)):
        return ""
    framebuffer = context.targets.framebuffer
    return (
        f"the viewport, columns {low[0]:g} to {high[0]:g} and rows {low[1]:g} to {high[1]:g}, in a target of {framebuffer.width} x "
        f"{framebuffer.height}, lies away from the pixel"
    )


def _elsewhere(context: Any, primitives: Primitives, mask: Mask, place: Place) -> str:
    if away := _viewport_away(context, primitives, mask, place):
        return away
    window = window_of(context, primitives)[mask]
    low, high = window[..., :2].min(axis=1), window[..., :2].max(axis=1)
    x, y = place.x + 0.5, place.y + 0.5
    around = (low[:, 0] <= x) & (x <= high[:, 0]) & (low[:, 1] <= y) & (y <= high[:, 1])
    number = len(window)
    if around.any():
        near = int(around.sum())
        return f"{number} primitive{'s' * (number != 1)} in view, {near} around the pixel, but none covers its center"
    finite = np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)
    if not finite.any():
        return f"{number} primitives cross the plane of the viewer, and none covers the pixel"
    box = [low[finite].min(axis=0), high[finite].max(axis=0)]
    return (
        f"{number} primitive{'s' * (number != 1)} in view, at columns {box[0][0]:.1f} to {box[1][0]:.1f} "
        f"and rows {box[0][1]:.1f} to {box[1][1]:.1f}, away from the pixel"
    )
