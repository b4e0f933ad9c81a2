"""Evaluators: curves and surfaces of control points. (OpenGL 2.1, 5.1)"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.commands.capabilities import MORE
from tgsi.opengl.commands.draws import check_mode
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value
from tgsi.opengl.fixed.primitives import draw
from tgsi.opengl.gets.values import VALUES
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer, numbers, write
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.batch import Batch
from tgsi.opengl.state.fixed import COLOR, NORMAL, TEXTURE
from tgsi.opengl.state.legacy import EvaluatorMap

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

Doubles = NDArray[np.float64]

MAX_ORDER = 30
KINDS = {"VERTEX_3": 3, "VERTEX_4": 4, "INDEX": 1, "COLOR_4": 4, "NORMAL": 3, **{f"TEXTURE_COORD_{size}": size for size in (1, 2, 3, 4)}}
FIRST = {getattr(GL, f"MAP1_{kind}"): kind for kind in KINDS}
SECOND = {getattr(GL, f"MAP2_{kind}"): kind for kind in KINDS}
DEFAULTS = {"INDEX": (1.0,), "COLOR_4": (1.0,) * 4, "NORMAL": (0.0, 0.0, 1.0)}
FILL = (0.0, 0.0, 0.0, 1.0)


def _map(gl: Context, target: int) -> EvaluatorMap:
    """The map of a target; initially a single control point."""
    item = gl.legacy.evaluators.maps.get(target)
    if item is None:
        kind = FIRST.get(target) or SECOND[target]
        point = DEFAULTS.get(kind, FILL[-KINDS[kind] :] if KINDS[kind] == 4 else (0.0,) * KINDS[kind])
        shape = (1, 1) if target in FIRST else (1, 1, 1)
        domain = (0.0, 1.0) if target in FIRST else (0.0, 1.0, 0.0, 1.0)
        item = gl.legacy.evaluators.maps[target] = EvaluatorMap(domain, np.reshape(point, (*shape[:-1], KINDS[kind])).astype(np.float64))
    return item


@listed
def put_map(gl: Context, target: int, domain: tuple[float, ...], points: Doubles) -> None:
    """Define a map."""
    gl.legacy.evaluators.maps[target] = EvaluatorMap(domain, points)


def _check(
    kind: str | None, target: int, bounds: tuple[tuple[float, float], ...], strides: tuple[int, ...], orders: tuple[int, ...]
) -> int:
    if kind is None:
        raise bad_enum("target", target)
    if any(low == high for low, high in bounds):
        raise bad_value("u1, u2: the domain is empty")
    if any(stride < KINDS[kind] for stride in strides):
        raise bad_value(f"stride: {strides} is below {KINDS[kind]}")
    if any(not 1 <= order <= MAX_ORDER for order in orders):
        raise bad_value(f"order: {orders} is not 1 .. {MAX_ORDER}")
    return KINDS[kind]


def _maps(letter: str) -> tuple[Callable[..., None], Callable[..., None]]:
    def first(gl: Context, target: int, u1: float, u2: float, stride: int, order: int, points: Pointer) -> None:
        size = _check(FIRST.get(target), target, ((u1, u2),), (stride,), (order,))
        table = np.array(numbers(letter, points, stride * (order - 1) + size))
        put_map(gl, target, (u1, u2), np.stack([table[k * stride : k * stride + size] for k in range(order)]))

    def second(
        gl: Context, target: int, u1: float, u2: float, ustride: int, uorder: int, v1: float, v2: float, vstride: int, vorder: int,
        points: Pointer,
    ) -> None:  # fmt: skip
        size = _check(SECOND.get(target), target, ((u1, u2), (v1, v2)), (ustride, vstride), (uorder, vorder))
        table = np.array(numbers(letter, points, ustride * (uorder - 1) + vstride * (vorder - 1) + size))
        rows = [[table[i * ustride + j * vstride :][:size] for j in range(vorder)] for i in range(uorder)]
        put_map(gl, target, (u1, u2, v1, v2), np.array(rows))

    return first, second


for _letter in "fd":
    _first, _second = _maps(_letter)
    command(f"glMap1{_letter}")(lists_itself(_first))
    command(f"glMap2{_letter}")(lists_itself(_second))


# -- values
def weights(order: int, places: Doubles) -> Doubles:
    """Bernstein's polynomials, [place, order]."""
    return np.asarray(np.stack([comb(order - 1, i) * places**i * (1 - places) ** (order - 1 - i) for i in range(order)], axis=-1))


def slopes(order: int, places: Doubles) -> Doubles:
    """Derivatives of Bernstein's polynomials, [place, order]."""
    if order == 1:
        return np.zeros((*places.shape, 1))
    below = weights(order - 1, places)
    zero = np.zeros((*places.shape, 1))
    return np.asarray((order - 1) * (np.concatenate([zero, below], axis=-1) - np.concatenate([below, zero], axis=-1)))


def _places(domain: tuple[float, ...], values: Doubles, first: int) -> Doubles:
    low, high = domain[first : first + 2]
    with np.errstate(all="ignore"):
        return np.asarray((values - low) / (high - low))


def value_of(item: EvaluatorMap, u: Doubles, v: Doubles | None, of_u: Any = weights, of_v: Any = weights) -> Doubles:
    """Values of a map, [place, components]."""
    of_first = of_u(item.points.shape[0], _places(item.domain, u, 0))
    if v is None:
        return np.asarray((of_first[:, :, None] * item.points[None]).sum(1))
    of_second = of_v(item.points.shape[1], _places(item.domain, v, 2))
    return np.asarray((of_first[:, :, None, None] * of_second[:, None, :, None] * item.points[None]).sum((1, 2)))


def evaluated(gl: Context, u: Doubles, v: Doubles | None) -> tuple[Doubles | None, dict[int, Doubles]]:
    """Positions, [place, 4], and attributes by location from the enabled maps; no positions without a vertex map."""
    table = FIRST if v is None else SECOND
    on = {kind: target for target, kind in table.items() if target in gl.legacy.enabled}
    attributes: dict[int, Doubles] = {}
    for kind, location in (("COLOR_4", COLOR), ("NORMAL", NORMAL)):
        if kind in on:
            attributes[location] = _four(value_of(_map(gl, on[kind]), u, v))
    for size in (4, 3, 2, 1):
        if f"TEXTURE_COORD_{size}" in on and TEXTURE not in attributes:
            attributes[TEXTURE] = _four(value_of(_map(gl, on[f"TEXTURE_COORD_{size}"]), u, v))
    target = on.get("VERTEX_4", on.get("VERTEX_3"))
    if target is None:
        return None, attributes
    item = _map(gl, target)
    if v is not None and GL.AUTO_NORMAL in gl.fixed.enabled:
        attributes[NORMAL] = _four(_normals(item, u, v))
    return _four(value_of(item, u, v)), attributes


def _normals(item: EvaluatorMap, u: Doubles, v: Doubles) -> Doubles:
    """Unit normals of a surface: the cross products of its derivatives."""
    du, dv = value_of(item, u, v, of_u=slopes), value_of(item, u, v, of_v=slopes)
    if item.points.shape[-1] == 4:
        place = value_of(item, u, v)
        du, dv = (slope[:, :3] * place[:, 3:] - place[:, :3] * slope[:, 3:] for slope in (du, dv))
    with np.errstate(all="ignore"):
        cross = np.cross(du[:, :3], dv[:, :3])
        length = np.sqrt((cross**2).sum(-1, keepdims=True))
        return np.asarray(np.divide(cross, length, out=np.zeros_like(cross), where=length > 0))


def _four(values: Doubles) -> Doubles:
    rows = np.tile(FILL, (len(values), 1))
    rows[:, : values.shape[1]] = values
    return rows


# -- commands
def evaluate(gl: Context, u: float, v: float | None) -> None:
    """Evaluate a vertex of an open primitive; current values do not change."""
    batch = gl.batch
    if batch is None:
        return
    places, attributes = evaluated(gl, np.array([u]), None if v is None else np.array([v]))
    if places is None:
        return
    before = {location: _value_before(gl, batch, location) for location in attributes}
    for location, values in attributes.items():
        a, b, c, d = values[0].tolist()
        batch.put(location, (a, b, c, d))
    x, y, z, w = places[0].tolist()
    batch.vertex((x, y, z, w))
    for location, value in before.items():
        batch.put(location, value)


def _value_before(gl: Context, batch: Batch, location: int) -> Any:
    return batch.values[batch.columns.index(location)] if location in batch.columns else gl.attributes[location][1]


def _eval_coord(letter: str) -> None:
    @lists_itself
    def first(gl: Context, u: float) -> None:
        evaluate(gl, u, None)

    @lists_itself
    def first_vector(gl: Context, u: Pointer) -> None:
        evaluate(gl, numbers(letter, u, 1)[0], None)

    @lists_itself
    def second(gl: Context, u: float, v: float) -> None:
        evaluate(gl, u, v)

    @lists_itself
    def second_vector(gl: Context, u: Pointer) -> None:
        evaluate(gl, *numbers(letter, u, 2))

    command(f"glEvalCoord1{letter}")(first)
    command(f"glEvalCoord1{letter}v")(first_vector)
    command(f"glEvalCoord2{letter}")(second)
    command(f"glEvalCoord2{letter}v")(second_vector)


_eval_coord("f")
_eval_coord("d")


def _grid(un: int, u1: float, u2: float) -> tuple[int, float, float]:
    if un < 1:
        raise bad_value(f"un: {un} is below 1")
    return un, u1, u2


@command("glMapGrid1f", "glMapGrid1d")
def map_grid_1(gl: Context, un: int, u1: float, u2: float) -> None:
    """The grid of glEvalMesh1."""
    gl.legacy.evaluators.grid1 = _grid(un, u1, u2)


@command("glMapGrid2f", "glMapGrid2d")
def map_grid_2(gl: Context, un: int, u1: float, u2: float, vn: int, v1: float, v2: float) -> None:
    """The grid of glEvalMesh2."""
    gl.legacy.evaluators.grid2 = (*_grid(un, u1, u2), *_grid(vn, v1, v2))


def _on_grid(steps: int, low: float, high: float, index: Any) -> Doubles:
    """Coordinates of a grid; the last one is exact."""
    index = np.asarray(index, np.float64)
    with np.errstate(all="ignore"):
        return np.where(index == steps, high, index * ((high - low) / steps) + low)


@command("glEvalPoint1")
@lists_itself
def eval_point_1(gl: Context, i: int) -> None:
    """A vertex at a place of the grid."""
    evaluate(gl, float(_on_grid(*gl.legacy.evaluators.grid1, i)), None)


@command("glEvalPoint2")
@lists_itself
def eval_point_2(gl: Context, i: int, j: int) -> None:
    """A vertex at a place of the grid."""
    grid = gl.legacy.evaluators.grid2
    evaluate(gl, float(_on_grid(*grid[:3], i)), float(_on_grid(*grid[3:], j)))


def _strip(gl: Context, mode: int, u: Doubles, v: Doubles | None) -> None:
    """Draw a primitive at these coordinates; current values do not change."""
    places, attributes = evaluated(gl, u, v)
    if places is None or not len(u):
        return
    name = check_mode(gl, mode)
    before = {location: gl.attributes[location] for location in attributes}
    columns = list(attributes)
    draw(gl, Batch.of_array(mode, name, columns, np.stack([places, *attributes.values()], axis=1).astype(np.float32)))
    for location, value in before.items():
        gl.attributes[location] = value


MAX_STEPS = 1 << 16


def _steps(first: int, last: int) -> range:
    if last - first > MAX_STEPS:
        raise bad_value(f"i2: more than {MAX_STEPS} steps")
    return range(first, last + 1)


@command("glEvalMesh1")
def eval_mesh_1(gl: Context, mode: int, i1: int, i2: int) -> None:
    """Points or a line over the grid."""
    if mode not in (GL.POINT, GL.LINE):
        raise bad_enum("mode", mode)
    if gl.batch is not None:
        raise bad_operation("a primitive is open")
    places = _on_grid(*gl.legacy.evaluators.grid1, list(_steps(i1, i2)))
    _strip(gl, GL.POINTS if mode == GL.POINT else GL.LINE_STRIP, places, None)


@command("glEvalMesh2")
def eval_mesh_2(gl: Context, mode: int, i1: int, i2: int, j1: int, j2: int) -> None:
    """Points, lines or quadrilaterals over the grid."""
    if mode not in (GL.POINT, GL.LINE, GL.FILL):
        raise bad_enum("mode", mode)
    if gl.batch is not None:
        raise bad_operation("a primitive is open")
    grid = gl.legacy.evaluators.grid2
    u = _on_grid(*grid[:3], list(_steps(i1, i2)))
    v = _on_grid(*grid[3:], list(_steps(j1, j2)))
    if mode == GL.FILL:
        for k in range(len(u) - 1):
            _strip(gl, GL.QUAD_STRIP, np.tile(u[k : k + 2], len(v)), np.repeat(v, 2))
        return
    for place in u:
        _strip(gl, GL.POINTS if mode == GL.POINT else GL.LINE_STRIP, np.full(len(v), place), v)
    for place in v if mode == GL.LINE else ():
        _strip(gl, GL.LINE_STRIP, u, np.full(len(u), place))


def _getter(letter: str) -> Callable[..., None]:
    def get(gl: Context, target: int, query: int, v: Pointer) -> None:
        if target not in FIRST and target not in SECOND:
            raise bad_enum("target", target)
        item = _map(gl, target)
        values = {GL.COEFF: item.points.reshape(-1).tolist(), GL.ORDER: item.points.shape[:-1], GL.DOMAIN: item.domain}.get(query)
        if values is None:
            raise bad_enum("query", query)
        write(letter, v, [round(value) for value in values] if letter == "i" else [float(value) for value in values])

    return get


for _letter in "fdi":
    command(f"glGetMap{_letter}v")(_getter(_letter))


def _switch(gl: Context, cap: int, on: bool) -> None:
    (gl.legacy.enabled.add if on else gl.legacy.enabled.discard)(cap)


for _target in (*FIRST, *SECOND):
    MORE[_target] = _switch, lambda gl, cap: cap in gl.legacy.enabled
VALUES[GL.MAP1_GRID_SEGMENTS] = "i", lambda gl: gl.legacy.evaluators.grid1[0]
VALUES[GL.MAP1_GRID_DOMAIN] = "f", lambda gl: gl.legacy.evaluators.grid1[1:]
VALUES[GL.MAP2_GRID_SEGMENTS] = "i", lambda gl: (gl.legacy.evaluators.grid2[0], gl.legacy.evaluators.grid2[3])
VALUES[GL.MAP2_GRID_DOMAIN] = "f", lambda gl: (*gl.legacy.evaluators.grid2[1:3], *gl.legacy.evaluators.grid2[4:])
VALUES[GL.MAX_EVAL_ORDER] = "i", lambda gl: MAX_ORDER
