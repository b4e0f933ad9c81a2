"""Generated geometry programs whose points and lines a lowering makes quads of; the oracle computes the corners with numpy, in float32."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.property.lowered_states import SKIPPED, Pair
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import Semantic

Array = NDArray[Any]
F32 = np.float32
LIMIT = 21
"""GS_MAX_OUTPUT_VERTICES of these programs."""
POSITION = "MOV TEMP[40].xyz, IN[{0}][4]\nADD TEMP[40].w, |IN[{1}][4].xxxx|, |IN[{0}][4].yyyy|\nMOV OUT[0], TEMP[40]\n"


def _shaped(primitive: str, seed: int) -> Callable[[str], str]:
    """The program with vertices on stream 0, and places that are seen now and then in front of each EMIT."""

    def change(text: str) -> str:
        text = text.replace("GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP", f"GS_OUTPUT_PRIMITIVE {primitive}")
        text = re.sub(r"(EMIT|ENDPRIM) \S+", r"\1 IMM[3].xxxx", text)
        text = re.sub(r"PROPERTY MUL_ZERO_WINS 1\n", "", text).replace("GS_MAX_OUTPUT_VERTICES 7", f"GS_MAX_OUTPUT_VERTICES {LIMIT}")
        lines, number = [], seed
        for line in text.split("\n"):
            if line.startswith("EMIT "):
                if primitive != "POINTS":  # most programs emit one vertex, and lines have two
                    lines += [*POSITION.format(number % 3, (number + 1) % 2).rstrip().split("\n"), line]
                if number % 3:
                    lines += POSITION.format(number % 2, number // 2 % 3).rstrip().split("\n")
                number += 1
            lines.append(line)
        return _with_labels("\n".join(lines), text)

    return change


def _with_labels(text: str, before: str) -> str:
    """Move the labels of calls along with the subroutines."""
    starts = [[place for place, line in enumerate(_code(item)) if line == "BGNSUB"] for item in (before, text)]
    moved = dict(zip(*starts))
    return re.sub(r"CAL :(\d+)", lambda found: f"CAL :{moved[int(found[1])]}", text)


def _code(text: str) -> list[str]:
    return [line for line in text.split("\n")[1:] if line and not line.startswith(("DCL ", "IMM[", "PROPERTY "))]


def _pair(name: str, seed: int, primitive: str, pipeline: str) -> Pair | None:
    pair = Pair.of(name, "GEOM", seed, pipeline, _shaped(primitive, seed))
    if pair is not None:
        rng = np.random.default_rng(seed)
        scale, translate = rng.uniform(-40, 40, 2), rng.uniform(0, 64, 2)
        pair.constant(10, np.array([[*scale, *translate], [rng.choice([0.3, 1, 6.7, 40]), rng.integers(0, 2), 0, 0]], F32))
    return pair


def _view(pair: Pair) -> tuple[Array, Array, np.float32]:
    rows = np.asarray(pair.more["constants"][0])[10:12].view(F32)
    return rows[0, :2], rows[0, 2:], rows[1, 0]


def _snapped(place: Array) -> Array:
    return np.round(place * F32(256)) * F32(1 / 256)


def _window(pair: Pair, position: Array) -> Array:
    scale, translate, _ = _view(pair)
    return _snapped(position[:2] * (F32(1) / position[3]) * scale + translate)


def _corner(pair: Pair, vertex: Array, place: Array, values: Mapping[int, Array]) -> Array:
    """Words of a corner: those of its vertex, the place back in clip space, and values of its own by register."""
    scale, translate, _ = _view(pair)
    made = np.zeros((max(len(vertex), *(number + 1 for number in values), 0), 4), np.uint32)
    made[: len(vertex)] = vertex.view(np.uint32)
    made[0, :2] = ((place - translate) / scale * vertex[0, 3]).astype(F32).view(np.uint32)
    for number, value in values.items():
        made[number] = np.asarray(value, F32).view(np.uint32)
    return made


def _compare(pair: Pair, shapes: Callable[[list[Array]], list[list[Array]]]) -> list[str]:
    """Differences of emitted quads. shapes: the quads of a strip of vertices, (registers, 4) floats each."""
    with np.errstate(all="ignore"):
        before, after = pair.runs()
        if sum(map(len, before.emitted)) >= LIMIT:
            SKIPPED[pair.name, "a program may have come to the limit of its vertices"] += 1
            return []
        wanted, at = [], 0
        for length in before.strips[0]:
            wanted += shapes([row.view(F32) for row in before.emitted[0][at : at + length]])
            at += length
    found = after.emitted[0]
    if list(after.strips[0]) != [4] * len(wanted):
        return [f"{pair.name}: strips {list(after.strips[0])}, and {len(wanted)} quads are wanted"]
    lines = []
    for number, quad in enumerate(wanted):
        for k, corner in enumerate(quad):
            mine = found[4 * number + k]
            same = mine[: len(corner)] == corner
            both = np.isnan(mine[: len(corner)].view(F32)) & np.isnan(corner.view(F32))
            if not (same | both).all():
                lines.append(f"{pair.name}: quad {number} corner {k}: {corner.view(F32).tolist()}, {mine.view(F32).tolist()}")
    return lines


def _is_seen(position: Array) -> bool:
    x, y, _, w = position
    return bool(abs(x) <= w and abs(y) <= w and w >= F32(2.0**-126))


def _points(pair: Pair, kind: str, sprites: list[int], place: int | None, flips: bool) -> list[str]:
    _, _, size = _view(pair)

    def shapes(strip: list[Array]) -> list[list[Array]]:
        quads = []
        for vertex in strip:
            if _is_seen(vertex[0]):
                center, wide = _window(pair, vertex[0]), F32(min(max(size, F32(1)), F32(8192)))
                low, high, radius = _sides(kind, center, wide)
                quad = []
                for k in range(4):
                    corner = np.array([high[0] if k % 2 else low[0], high[1] if k // 2 else low[1]], F32)
                    offset = corner - center
                    s, t = offset / wide + F32(0.5)
                    values = dict.fromkeys(sprites, np.array([s, F32(1) - t if flips else t, 0, 1], F32))
                    if place is not None:
                        values[place] = np.array([*offset, radius, radius], F32)
                    quad.append(_corner(pair, vertex, corner, values))
                quads.append(quad)
        return quads

    return _compare(pair, shapes)


def _sides(kind: str, center: Array, wide: np.float32) -> tuple[Array, Array, np.float32]:
    half = F32(wide * F32(0.5))
    if kind == "PIXELS":
        start = center + (np.array([0.75, 0.25], F32) - half) if wide > 1 else center
        low = np.trunc(start)
        return low, low + np.trunc(wide), half
    radius = F32(half + F32(0.5)) if kind == "DISK" else half
    low, high = center - radius, center + radius
    return (low, high, radius) if kind == "DISK" else (_snapped(low), _snapped(high), radius)


def point_sprite(seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    mask, flips, square = int(rng.integers(0, 32)), bool(rng.integers(0, 2)), bool(rng.integers(0, 2))
    words = ["yes" if flag else "no" for flag in (flips, square)]
    pipeline = f"lower-point-sprite{{generics={mask},coord=9,flips={words[0]},square={words[1]},constant=10}}"
    pair = _pair("point sprite", seed, "POINTS", pipeline)
    if pair is None:
        return []
    numbers = [pair.register(File.OUT, Semantic("GENERIC", n)) for n in [*(k for k in range(5) if mask >> k & 1), 9]]
    numbers += [pair.register(File.OUT, Semantic("TEXCOORD", 0)) for _ in range(mask & 1)]  # the program writes GENERIC[1] to GENERIC[4]
    return _points(pair, "SQUARE" if square else "PIXELS", numbers, None, flips)


def smooth_point_geometry(seed: int) -> list[str]:
    pair = _pair("smooth point geometry", seed, "POINTS", "lower-smooth-points{generic=9,generics=4,constant=10}")
    if pair is None:
        return []
    sprite, place = (pair.register(File.OUT, Semantic("GENERIC", n)) for n in (2, 9))
    return _points(pair, "DISK", [sprite], place, False)


def smooth_line_geometry(seed: int) -> list[str]:
    pair = _pair("smooth line geometry", seed, "LINE_STRIP", "lower-smooth-lines{generic=9,constant=10}")
    if pair is None:
        return []
    register, (_, _, side) = pair.register(File.OUT, Semantic("GENERIC", 9)), _view(pair)
    near = np.asarray(pair.more["constants"][0])[11].view(F32)[1]

    def cut(vertex: Array, other: Array) -> Any:
        """The vertex, or the place where the line comes through the near plane."""
        outer, inner = vertex[0, 3] * near + vertex[0, 2], other[0, 3] * near + other[0, 2]
        if not (outer < 0 and inner >= 0):
            return vertex
        share = inner * F32(0.5) / (inner * F32(0.5) - outer * F32(0.5))
        return (vertex - other) * share + other

    def line(start: Array, end: Array) -> list[Array]:
        a, b = _window(pair, start[0]), _window(pair, end[0])
        dx, dy = b - a
        length = np.sqrt(dx * dx + dy * dy)
        if not length > 0:
            return []
        u, half, middle = (b - a) / length, length * F32(0.5), (a + b) * F32(0.5)
        reach = length if half < F32(0.5) else half + F32(0.5)
        quad = []
        for k in range(4):
            along, across = (reach if k >= 2 else -reach), (side if k % 2 else -side)
            corner = np.array([middle[0] + u[0] * along + u[1] * across, middle[1] + u[1] * along - u[0] * across], F32)
            quad.append(_corner(pair, end if k >= 2 else start, corner, {register: np.array([across, along, side, reach], F32)}))
        return quad

    def shapes(strip: list[Array]) -> list[list[Array]]:
        quads = []
        for start, end in pairwise(strip):
            a = cut(start, end)
            b = cut(end, a)
            quads += [quad for quad in [line(a, b)] if quad and min(a[0, 3], b[0, 3]) >= F32(2.0**-126)]
        return quads

    return _compare(pair, shapes)
