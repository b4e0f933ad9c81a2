"""Clipping of triangles and lines that reach far beyond the view volume or have an extreme w, without rounding errors that grow with the
distance.

Ordinary clipping computes a new vertex as inner + (outer - inner) * t, which loses the inner vertex completely if the outer one is at 3e38.
Here a new vertex is the intersection of an edge's line with a plane. A line is given by its six Plücker coordinates. Each is a difference
of two products of floats, which are exact in 64 bits, so only its last bit is rounded, even after cancellation. The line of a new edge is
the intersection of the clip plane and the plane of the triangle. Nothing is computed from new vertices, so errors do not add up.

Vertices also have weights of the three corners, by which slots are blended; the accuracy of distances suffices for these. An intersection
of line and plane is homogeneous, so the weights also give its length, from the component with the least cancellation.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import F32, F64, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.pipe.limits import LARGEST_FLOAT
from backends.raster.draw_record import Draw
from backends.raster.front.vertices import SMALLEST_NORMAL, near, project
from backends.raster.front.views import placed_view
from backends.raster.layouts import POLYGON, VertexLayout
from backends.raster.records import Worker

PLANES = 6  # near, far, four guard planes; planes with higher numbers are clip distances
_VERTEX, _WEIGHTS, _LINE_NUMBER = 64, 32, 56  # bytes of a vertex: x, y, z, w | weights | number of the line to the next vertex
_LINE = 48  # bytes: xy, xz, xw, yz, yw, zw
_MOST_LINES = 3 + PLANES + 8
_FAR, _LONG, _SHORT = 4096.0, 2.0**60, 2.0**-60

Vector = list[Val]


def is_far(f: Function, records: Sequence[Val]) -> Val:
    """True (i1) if a primitive with these vertices must be clipped here."""
    sizes = [[f.abs(f.load(F32, r, VertexLayout.CLIP + 4 * c)) for c in range(4)] for r in records]
    place, w = f.const(F32, 0.0), f.const(F32, 0.0)
    has_tiny = f.const(F32, 1.0)
    for x, y, z, size in sizes:
        place, w = f.max(place, f.max(f.max(x, y), z)), f.max(w, size)
        has_tiny = f.min(has_tiny, f.select(size.eq(0.0), 1.0, size))
    largest = f.max(place, w)
    return (place >= w * _FAR) | (largest >= _LONG) | (largest <= _SHORT) | (has_tiny < SMALLEST_NORMAL)


def is_nowhere(f: Function, record: Val) -> Val:
    """True (i1) if a vertex has neither a position nor a direction, because x, y and w are 0."""
    x, y, w = (f.load(F32, record, VertexLayout.CLIP + at) for at in (0, 4, 12))
    return x.eq(0.0) & y.eq(0.0) & w.eq(0.0)


def position_of(f: Function, record: Val) -> Vector:
    """The clip position of a vertex record, in doubles; an infinite w makes it 0 after the division."""
    values = [f.load(F32, record, VertexLayout.CLIP + 4 * c) for c in range(4)]
    w = values[3]
    is_infinite = f.abs(w) > LARGEST_FLOAT
    values = [f.select(is_infinite, 0.0, v) for v in values[:3]] + [f.min(f.max(w, -LARGEST_FLOAT), LARGEST_FLOAT)]
    return [v.to_double() for v in values]


def _through(p: Vector, q: Vector) -> Vector:
    """The line through two points."""
    return [p[i] * q[j] - p[j] * q[i] for i, j in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))]


def _plane_of(p: Vector, line: Vector) -> Vector:
    """The plane of a point and a line."""
    xy, xz, xw, yz, yw, zw = line
    return [
        (p[1] * zw - p[2] * yw) + p[3] * yz,
        0.0 - ((p[0] * zw - p[2] * xw) + p[3] * xz),
        (p[0] * yw - p[1] * xw) + p[3] * xy,
        0.0 - ((p[0] * yz - p[1] * xz) + p[2] * xy),
    ]


def _between(s: Vector, t: Vector) -> Vector:
    """The intersection of two planes."""

    def minor(i: int, j: int) -> Val:
        return s[i] * t[j] - s[j] * t[i]

    return [minor(2, 3), minor(3, 1), minor(1, 2), minor(0, 3), minor(2, 0), minor(0, 1)]


def _meeting(line: Vector, plane: Vector) -> Vector:
    """The intersection of a line and a plane, of any length."""
    xy, xz, xw, yz, yw, zw = line
    a, b, c, e = plane
    return [
        (xy * b + xz * c) + xw * e,
        (yz * c + yw * e) - xy * a,
        (zw * e - xz * a) - yz * b,
        0.0 - ((xw * a + yw * b) + zw * c),
    ]


def _distance(plane: Vector, point: Vector) -> Val:
    return ((plane[0] * point[0] + plane[1] * point[1]) + plane[2] * point[2]) + plane[3] * point[3]


def _scaled(f: Function, point: Vector, weights: Vector, corners: Sequence[Vector]) -> Vector:
    """A homogeneous point scaled to the length given by the corners' weights."""
    sums, sizes = [], []
    for k in range(4):
        parts = [w * c[k] for w, c in zip(weights, corners)]
        sums.append(sum(parts[1:], parts[0]))
        sizes.append(sum((f.abs(p) for p in parts[1:]), f.abs(parts[0])))
    best, of, at = f.const(F64, 0.0), f.const(F64, 1.0), f.const(F64, 1.0)
    for total, size, value in zip(sums, sizes, point):
        is_better = (f.abs(total) * f.abs(of) > f.abs(best) * size) & value.ne(0.0)
        best, of, at = f.select(is_better, total, best), f.select(is_better, size, of), f.select(is_better, value, at)
    scale, is_lost = best / at, best.eq(0.0)
    return [f.select(is_lost, total, value * scale) for total, value in zip(sums, point)]


class _Memory:
    """Vectors of doubles in memory."""

    def __init__(self, f: Function) -> None:
        self.f = f

    def load(self, pointer: Val, count: int, at: Val | int = 0) -> Vector:
        return [self.f.load(F64, self.f.at(pointer, at), 8 * k, 8) for k in range(count)]

    def store(self, values: Vector, pointer: Val, at: Val | int = 0) -> None:
        for k, v in enumerate(values):
            self.f.store(v, self.f.at(pointer, at), 8 * k, 8)


def _plane(f: Function, d: Record, view: Record, number: Val, records: Sequence[Val], lines: Val) -> Vector:
    """Plane `number` of clip space. The plane of a clip distance is computed from the corners' distances."""
    plane = [f.var(F64, 0.0) for _ in range(4)]
    with f.else_of(number < PLANES) as user:
        for k, v in enumerate(plane):
            v.set(f.load(F32, f.at(view.address("planes"), number << 4), 4 * k).to_double())
        user()
        memory = _Memory(f)
        across = [memory.load(lines, 6, _LINE * k) for k in (1, 2, 0)]  # the opposite edge of each corner
        at = d.get("clip.distances_at") + ((number - PLANES) << 2)
        distances = [f.load(F32, f.at(r, at)).to_double() for r in records]
        x, y, w = (f.load(F32, records[0], VertexLayout.CLIP + c).to_double() for c in (0, 4, 12))
        xy, xw, yw = across[0][0], across[0][2], across[0][4]
        is_reverse = (x * yw - y * xw) + w * xy < 0.0
        terms = [(u * line[4], 0.0 - u * line[2], u * line[0]) for u, line in zip(distances, across)]
        sums = [(a + b) + c for a, b, c in zip(*terms)]
        largest = f.max(f.max(f.abs(sums[0]), f.abs(sums[1])), f.abs(sums[2]))
        unit = f.select(largest > 0.0, 1.0 / largest, 0.0)
        for variable, total in zip((plane[0], plane[1], plane[3]), sums):
            variable.set(total * f.select(is_reverse, 0.0 - unit, unit))
    return [v.get() for v in plane]


def _emit(f: Function, d: Record, view: Record, position: Vector, weights: Vector, records: Sequence[Val], ws: Vector, target: Val) -> None:
    """Write the record of a clipped vertex, blended by weights, with the flat slots of the last record (the provoking vertex)."""
    floats = [v.cast("fptrunc", F32) for v in position]
    f.store_vec4s(floats, [target], VertexLayout.CLIP)
    window = [f.var(F32, v) for v in project(f, view, floats)]
    with f.if_(floats[3] < SMALLEST_NORMAL):
        exact = [position[k] / position[3] * view.get("scale", k).to_double() + view.get("translate", k).to_double() for k in range(3)]
        placed = [v.cast("fptrunc", F32) for v in exact]
        for variable, value in zip(window, [*near(f, view, placed[:2]), placed[2], f.const(F32, 1.0 / SMALLEST_NORMAL)]):
            variable.set(value)
    f.store_vec4s([v.get() for v in window], [target], VertexLayout.WINDOW)
    linear = [weight * w / position[3] for weight, w in zip(weights, ws)]
    with f.range(0, d.get("vertices.num_slots")) as s:
        at = (s << 4) + VertexLayout.SLOTS
        is_linear = f.load(I32, d.address("vertices.is_linear"), s << 2).ne(0)
        is_flat = f.load(I32, d.address("vertices.is_flat"), s << 2).ne(0)
        for c in range(4):
            channel = f.var(F32, f.load(F32, f.at(records[-1], at), 4 * c))
            with f.if_(~is_flat):
                blend = f.var(F64, 0.0)
                for record, smooth, straight in zip(records, weights, linear):
                    share = f.select(is_linear, straight, smooth)
                    with f.if_(share.ne(0.0)):
                        blend.set(blend.get() + share * f.load(F32, f.at(record, at), 4 * c).to_double())
                channel.set(blend.get().cast("fptrunc", F32))
            f.store(channel.get(), f.at(target, at), 4 * c)


def _cut(
    f: Function, memory: _Memory, plane: Vector, cut: Val, lines: Val, corners: Sequence[Vector], source: Var, target: Var, n: Var
) -> None:
    """Clip the polygon at `source` to one plane, whose intersection with the triangle is line number `cut`, and swap the two buffers."""
    old, new, count, size = source.get(), target.get(), n.get(), f.var(I32, 0)

    def append(values: Vector, line: Val) -> None:
        with f.if_(size.get() < POLYGON):
            at = f.at(new, (size.get() * _VERTEX).zext(I64))
            memory.store(values, at)
            f.store(line, at, _LINE_NUMBER)
            size.add(1)

    with f.range(0, count) as i:
        following = f.select((i + 1).eq(count), 0, i + 1)
        here, there = (f.at(old, (k * _VERTEX).zext(I64)) for k in (i, following))
        a, c, line = memory.load(here, 7), memory.load(there, 7), f.load(I32, here, _LINE_NUMBER)
        from_a, from_c = _distance(plane, a[:4]), _distance(plane, c[:4])
        a_in, c_in = from_a >= 0.0, from_c >= 0.0
        with f.if_(a_in):
            append(a, line)
        with f.if_(a_in ^ c_in):
            inner, outer = ([f.select(a_in, x, y) for x, y in zip(*pair)] for pair in ((a[4:], c[4:]), (c[4:], a[4:])))
            di, do = f.select(a_in, from_a, from_c), f.select(a_in, from_c, from_a)
            t = di / (di - do)
            weights = [x + (y - x) * t for x, y in zip(inner, outer)]
            point = _meeting(memory.load(f.at(lines, (line * _LINE).zext(I64)), 6), plane)
            append([*_scaled(f, point, weights, corners), *weights], f.select(a_in, cut, line))
    n.set(size.get())
    source.set(new)
    target.set(old)


def build_clip_far(module: Module) -> None:
    """clip_far(worker, draw, corners, prim, count) -> count: as `clip_polygon`, for far triangles."""
    f = Function(module, "clip_far", [PTR, PTR, I32, I32, I32, I32, I32], I32, internal=True)
    worker, draw, s0, s1, s2, prim, start = f.args
    w, d, memory = Record(f, worker, Worker), Record(f, draw, Draw), _Memory(f)
    vertices, size = w.get("buffers.vertices"), d.get("vertices.size")
    records = [f.at(vertices, (s * size).zext(I64)) for s in (s0, s1, s2)]
    view, corners = placed_view(f, d, records[2]), [position_of(f, r) for r in records]
    lines = f.alloca(f"[{_MOST_LINES * _LINE // 8} x double]")
    rooms = [f.alloca(f"[{POLYGON * _VERTEX // 8} x double]") for _ in range(2)]
    for k in range(3):
        memory.store(_through(corners[k], corners[(k + 1) % 3]), lines, _LINE * k)
        own = [f.const(F64, float(k == n)) for n in range(3)]
        memory.store([*corners[k], *own], rooms[0], _VERTEX * k)
        f.store(f.const(I32, k), rooms[0], _VERTEX * k + _LINE_NUMBER)
    surface = _plane_of(corners[0], memory.load(lines, 6, _LINE))
    source, target, n = f.var(PTR, rooms[0]), f.var(PTR, rooms[1]), f.var(I32, 3)
    with f.range(0, d.get("clip.num_distances") + PLANES) as number:
        plane = _plane(f, d, view, number, records, lines)
        cut = number + 3
        memory.store(_between(surface, plane), lines, (cut * _LINE).zext(I64))
        _cut(f, memory, plane, cut, lines, corners, source, target, n)
    total, first = n.get(), w.get("group.num_vertices")
    ws = [c[3] for c in corners]
    with f.range(0, total) as i:
        at = f.at(source.get(), (i * _VERTEX).zext(I64))
        place, weights = memory.load(at, 4), memory.load(at, 3, _WEIGHTS)
        _emit(f, d, view, place, weights, records, ws, f.at(vertices, ((first + i) * size).zext(I64)))
    w.set("group.num_vertices", first + total)
    out = f.var(I32, start)
    with f.range(2, total) as i:
        for name, v in (("u0", first), ("u1", first + i - 1), ("u2", first + i), ("uprim", prim)):
            f.store(v, w.get(f"buffers.{name}"), out.get() << 2)
        out.add(1)
    f.ret(out.get())


def _line_cut(
    f: Function, d: Record, view: Record, number: Val, records: Sequence[Val], line: Vector, ends: Sequence[Vector], now: Sequence[Vector]
) -> tuple[Vector, Vector]:
    """Distances of the ends of a partly clipped line from a plane, and the intersection, as a homogeneous point of any length.

    records, ends: of the whole line; now: x, y, z, w of the remaining ends, and their fraction of the way to the second end.
    """
    distances, point = [f.var(F64, 0.0) for _ in range(2)], [f.var(F64, 0.0) for _ in range(4)]
    with f.else_of(number < PLANES) as user:
        plane = [f.load(F32, f.at(view.address("planes"), number << 4), 4 * k).to_double() for k in range(4)]
        for distance, end in zip(distances, now):
            distance.set(_distance(plane, end[:4]))
        for component, value in zip(point, _meeting(line, plane)):
            component.set(value)
        user()
        at = d.get("clip.distances_at") + ((number - PLANES) << 2)
        first, second = (f.load(F32, f.at(r, at)).to_double() for r in records[:2])
        for distance, end in zip(distances, now):
            distance.set(first * (1.0 - end[4]) + second * end[4])
        for component, p, q in zip(point, *ends):
            component.set(q * first - p * second)
    return [v.get() for v in distances], [v.get() for v in point]


def build_clip_line_far(module: Module) -> None:
    """clip_line_far(worker, draw, a, b, provoking) -> visible: as `clip_line`, for far lines."""
    f = Function(module, "clip_line_far", [PTR, PTR, I32, I32, I32], I32, internal=True)
    worker, draw, a, b, provoking = f.args
    w, d = Record(f, worker, Worker), Record(f, draw, Draw)
    vertices, size = w.get("buffers.vertices"), d.get("vertices.size")
    records = [f.at(vertices, (s * size).zext(I64)) for s in (a, b, provoking)]
    view, ends = placed_view(f, d, records[2]), [position_of(f, r) for r in records[:2]]
    line = _through(*ends)
    clipped = [[f.var(F64, v) for v in [*end, f.const(F64, float(k))]] for k, end in enumerate(ends)]
    with f.range(0, d.get("clip.num_distances") + PLANES) as number:
        now = [[v.get() for v in end] for end in clipped]
        distances, point = _line_cut(f, d, view, number, records, line, ends, now)
        inside = [distance >= 0.0 for distance in distances]
        with f.leaving(~(inside[0] | inside[1])):
            f.ret(f.const(I32, 0))
        for k in range(2):
            with f.if_(~inside[k]):
                inner = now[1 - k][4]
                moved = inner + (now[k][4] - inner) * (distances[1 - k] / (distances[1 - k] - distances[k]))
                for variable, value in zip(clipped[k], [*_scaled(f, point, [1.0 - moved, moved], ends), moved]):
                    variable.set(value)
    first, ws = w.get("group.num_vertices"), [end[3] for end in ends]
    for k, end in enumerate(clipped):
        target, last = f.at(vertices, ((first + k) * size).zext(I64)), end[4].get()
        _emit(f, d, view, [v.get() for v in end[:4]], [1.0 - last, last], records, ws, target)
    f.ret(f.const(I32, 1))
