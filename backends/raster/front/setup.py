"""Front end, last step: exact edge equations, boxes, planes, and bins."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.pipe.enums import Face
from backends.raster.draw_record import Draw
from backends.raster.front.assemble import lowest_bit
from backends.raster.front.bins import bin_triangle
from backends.raster.front.diamonds import LineRule
from backends.raster.front.edges import CenterRule, reach_of
from backends.raster.front.layers import Routes
from backends.raster.front.primitive_rows import write_row_slots
from backends.raster.front.spans import number_in_call
from backends.raster.front.squares import Squares
from backends.raster.front.touching import TouchRule
from backends.raster.layouts import PRIM_BITS, Mode, OffsetUnit, SetupLayout, VertexLayout
from backends.raster.records import Scene, Worker
from tgsi.language.record import record

Plane = Callable[[Sequence[Val]], list[Val]]


_FAR = 500.0  # pixels from the anchor to corner 0


def plane_maker(
    f: Function,
    window: list[list[Val]],
    ex: list[Val],
    ey: list[Val],
    area: Val,
    anchor: tuple[Val, Val],
    unit: float = CenterRule.unit,
    *,
    by_weights: Val | None = None,
    keeps_degenerate: bool = False,
) -> Plane:
    """A function from the values at three corners to (value at the anchor pixel's center, d/dx, d/dy).

    ex, ey: edge vectors from corner 0 to the other corners, snapped, in `unit` pixels. keeps_degenerate: the plane of a triangle without
    area has the value of corner 2, the provoking vertex, everywhere.

    The plane goes through the corners before snapping, because snapped ones would be off by slope/512. If snapping changed the area a lot,
    as for slivers, the plane goes through the snapped corners, whose area is never 0.

    by_weights (i32): nonzero if the value at an anchor far from corner 0 is a weighted sum of the corners. Clipping may leave huge values
    at far corners, whose rounding errors differ from slot to slot and exceed the values on the screen; equal weights round all slots alike,
    so that a coordinate divided by the interpolated w is right. Depth needs no weights, because all draws of a triangle round it alike.
    """
    snapped = area.cast("fptrunc", F32) * (unit * unit)
    dx, dy = ([window[k][axis] - window[0][axis] for k in (1, 2)] for axis in (0, 1))
    exact = dx[0] * dy[1] - dx[1] * dy[0]
    trusted = f.abs(exact - snapped) <= f.abs(snapped) * 0.25
    inverse = 1.0 / f.select(trusted, exact, snapped)
    fx, fy = ([f.select(trusted, d, e.to_float() * unit) * inverse for d, e in zip(ds, es)] for ds, es in ((dx, ex), (dy, ey)))
    ax, ay = (v - (a.to_float() + 0.5) for v, a in zip(window[0][:2], anchor))

    def weighed(v: Sequence[Val], first: Val) -> Val:
        second, third = ay * fx[1] - ax * fy[1], ax * fy[0] - ay * fx[0]
        value = (1.0 - second - third) * v[0] + second * v[1] + third * v[2]
        return f.select(f.max(f.abs(ax), f.abs(ay)) > _FAR, value, first)

    def plane(v: Sequence[Val]) -> list[Val]:
        d1, d2 = v[1] - v[0], v[2] - v[0]
        gx, gy = d1 * fy[1] - d2 * fy[0], d2 * fx[0] - d1 * fx[1]
        first = v[0] - (gx * ax + gy * ay)
        if by_weights is not None:
            value = f.var(first.type, first)
            with f.if_(by_weights.ne(0)):  # a branch that is uniform for the draw costs less than weights for small triangles
                value.set(weighed(v, first))
            first = value.get()
        if keeps_degenerate:
            is_flat = area.eq(0.0)
            return [f.select(is_flat, v[2], first), *(f.select(is_flat, 0.0, g) for g in (gx, gy))]
        return [first, gx, gy]

    return plane


def depth_offset(f: Function, offset: Record, unit: Val, depths: Sequence[Val], slope: Val) -> Val:
    """The depth offset of a polygon, with the clamp of the state (OpenGL 4.6, section 14.6.5).

    offset: a DepthOffset, whose `units` are scaled to depth already, except for float depth buffers; unit: its OffsetUnit; depths: of the
    three corners in the window; slope: the larger of |dz/dx| and |dz/dy|. For float buffers the unit is the last bit of the largest
    depth: 2 to the power of (its exponent - 23).
    """
    units = f.var(slope.type, offset.get("units"))
    with f.if_(unit.eq(OffsetUnit.LARGEST_DEPTH)):
        sizes = [f.abs(z) for z in depths]
        exponent = f.max(f.max(sizes[0], sizes[1]), sizes[2]).as_int() & 0x7F800000
        units.set(f.max(exponent - (23 << 23), 0).as_float() * offset.get("units"))
    total = units.get() + slope * offset.get("scale")
    clamp = offset.get("clamp")
    low = f.select(clamp < 0.0, f.max(total, clamp), total)
    return f.select(clamp > 0.0, f.min(low, clamp), low)


@record(kw_only=True)
class _Arena:
    """The arena of a batch: records grow up, chunks of bins grow down."""

    f: Function
    scratch: Record
    first: Val  # where the records of this call begin
    used: Var
    top: Var
    prim_seen: Var
    prim_start: Var
    size: Val  # of a record

    def stop_before(self, prim: Val) -> None:
        """End the batch before the primitive whose word is `prim`, because the arena is full: a later window continues with it.

        Triangles of the primitive that are already binned are dropped.
        """
        self.end(self.f.select(prim.eq(self.prim_seen.get()), self.prim_start.get(), self.used.get()), prim & ((1 << PRIM_BITS) - 1))
        self.f.place(self.f.label())

    def end(self, limit: Val, cut: Val | int) -> None:
        """Keep and count the records below `limit`, and return."""
        f, scratch = self.f, self.scratch
        scratch.set("used", limit)
        scratch.set("top", self.top.get())
        scratch.set("clipper_out", scratch.get("clipper_out") + (limit - self.first).udiv(self.size))
        f.ret(f.const(I32, cut))


def build_setup(lanes: int, module: Module, routed: bool, has_rows: bool, is_conservative: bool = False, has_lines: bool = False) -> None:
    """setup(worker, arena, corners, prims, count) -> cut: sets up `lanes` triangles at once, then bins them one at a time.

    routed: for routed draws (see `layers`); has_rows: some slots are of Mode.PRIMITIVE; is_conservative: triangles cover the pixels that
    they touch (the draw must be routed); has_lines: some triangles are halves of lines (see `diamonds`); cut: number (inside the batch)
    of the first primitive that did not fit; -1: all did."""
    f = Function(module, "setup", [PTR, PTR, PTR, PTR, PTR, PTR, I32], I32)
    worker, arena, *corner_lists, prim_list, count = f.args
    w = Record(f, worker, Worker)
    d, scene = Record(f, w.get("group.span.draw"), Draw), Record(f, w.get("scene"), Scene)
    vertices, cursors = w.get("buffers.vertices"), w.get("buffers.cursors")
    tiles_x, size, vertex_size = scene.get("tiles.tiles_x"), d.get("setup.record_size"), d.get("vertices.size")
    vec = I32.wide(lanes)
    lane = f.lanes_const(vec, range(lanes))
    first = w.get("space.used")
    used = f.var(I32, first)
    space = _Arena(
        f=f,
        scratch=w.part("space"),
        first=first,
        used=used,
        top=f.var(I32, w.get("space.top")),
        prim_seen=f.var(I32, -1),
        prim_start=f.var(I32, 0),
        size=size,
    )
    with f.range(0, count, lanes) as start:
        valid = (lane + start) < count
        corner = [f.select(valid, f.load(vec, c, start << 2), 0) for c in corner_lists]
        prims = f.load(vec, prim_list, start << 2)
        records = [[f.at(vertices, o[k].zext(I64)) for k in range(lanes)] for o in (c * vertex_size for c in corner)]
        routes = Routes(f, d, records[2], scene.get("tiles.layers")) if routed else None
        triangles = _Triangles(f, d, records, lanes, routes, is_conservative, has_lines)
        alive_bits = f.mask_bits(valid & triangles.alive)
        with f.if_(alive_bits.ne(0)):
            with f.if_(space.top.get() - used.get() < size * (lanes + 1)):
                space.stop_before(f.load(I32, prim_list, (start + lowest_bit(f, alive_bits)) << 2))
            target = _record_places(f, arena, used, size, alive_bits, lanes)
            triangles.write(target, prims, _identity(f, d, w, prims, triangles.front))
            if has_rows:
                most = w.get("group.span.call.prims_per_instance")
                write_row_slots(f, d, number_in_call(w, prims), most, triangles.front, target)
            if routes is not None:
                routes.write(target, triangles.constants)
            with f.range(0, f.popcount(alive_bits)):
                record = used.get()
                prim = f.load(I32, arena, record + SetupLayout.PRIM)
                space.prim_start.set(f.select(prim.ne(space.prim_seen.get()), record, space.prim_start.get()))
                space.prim_seen.set(prim)
                if is_conservative:
                    f.store(space.prim_start.get(), arena, record + (size - SetupLayout.FIRST))
                base = None
                if routes is not None:
                    base = f.load(I32, arena, record + (size - SetupLayout.ROUTE)) * scene.get("tiles.layer_tiles")
                full = bin_triangle(f, d, arena, cursors, space.top, record, size, tiles_x, base)
                with f.if_(full):
                    space.stop_before(prim)
                used.set(record + size)
    space.end(used.get(), -1)


def _record_places(f: Function, arena: Val, used: Var, size: Val, alive_bits: Val, lanes: int) -> list[Val]:
    """Pointers to the setup records of the lanes. A dead lane writes where the next living one overwrites it."""
    places = []
    for k in range(lanes):
        before = f.popcount(alive_bits & ((1 << k) - 1)) if k else f.const(I32, 0)
        places.append(f.at(arena, used.get() + before * size))
    return places


def _identity(f: Function, d: Record, w: Record, prims: Val, front: Val) -> Val:
    """Primitive number (0 if no shader reads it) and facing, in 31 bits."""
    number = f.var(prims.type, 0)
    with f.if_(d.get("setup.wants_prim").ne(0)):
        numbers, own, per_instance = d.get("assembly.numbers"), number_in_call(w, prims), w.get("group.span.call.prims_per_instance")
        with f.else_of(numbers.as_address().eq(0)) as otherwise:
            number.set(own.urem(per_instance).lshr(d.get("assembly.prim_shift")))
            otherwise()
            number.set(f.gather(I32, numbers, f.select(own.ult(per_instance), own, 0) << 2))
    return ((number.get() << 1) | front.zext(I32)) & 0x7FFFFFFF


class _Triangles:
    """Setup of `lanes` triangles at once, from pointers to their vertex records: facing, box, surviving triangles, setup records."""

    def __init__(
        self, f: Function, d: Record, records: list[list[Val]], lanes: int, routes: Routes | None, is_conservative: bool, has_lines: bool
    ) -> None:
        self.f, self.d, self.records, self.lanes = f, d, records, lanes
        self.is_conservative = is_conservative
        rule: TouchRule | CenterRule
        if is_conservative:
            rule = TouchRule(f, d, lanes)
        else:
            rule = LineRule(f, d, lanes, records) if has_lines else CenterRule(f, d, lanes)
        self.rule = rule
        window = [f.load_vec4s(r) for r in records]
        self.squares = squares = None if is_conservative else Squares(f, d, records, window, lanes)
        if squares is not None:
            window = [[*new, *old[2:]] for new, old in zip(squares.window, window)]
        self.window = window
        self.xs, self.ys = xs, ys = [rule.snap(v[0], 0) for v in window], [rule.snap(v[1], 1) for v in window]
        self.routes = routes
        self.constants: list[Val] = []  # of the edge functions, in 1/65536 pixels
        raw = [rule.first(xs, 0), rule.first(ys, 1), rule.last(xs, 0), rule.last(ys, 1)]
        if squares is not None:
            raw[2:] = [f.min(v, end) for v, end in zip(raw[2:], squares.ends)]
        region = [d.get("view.region", k) for k in range(4)] if routes is None else routes.region
        self.box = x0, y0, x1, y1 = [f.max(v, r) if k < 2 else f.min(v, r) for k, (v, r) in enumerate(zip(raw, region))]
        self.cut = raw[0].ne(x0) | raw[1].ne(y0) | raw[2].ne(x1) | raw[3].ne(y1)
        if squares is not None:
            self.cut = self.cut | f.splat(squares.truth, lanes)
        if isinstance(rule, LineRule):
            self.cut = self.cut | rule.is_line
        self.ex, self.ey = [xs[1] - xs[0], xs[2] - xs[0]], [ys[1] - ys[0], ys[2] - ys[0]]
        self.area = rule.area(self.ex, self.ey)
        self.front = (self.area > 0.0) ^ f.splat(d.get("setup.front_is_positive").eq(0), lanes)
        if is_conservative:
            self.front = self.front & self.area.ne(0.0)  # degenerate triangles face back
        cull = d.get("setup.culled_faces")
        culled = (self.front & f.splat((cull & Face.FRONT).ne(0), lanes)) | (~self.front & f.splat((cull & Face.BACK).ne(0), lanes))
        self.alive = rule.lives(self.area) & (x0 <= x1) & (y0 <= y1) & ~culled

    def write(self, target: list[Val], prims: Val, identity: Val) -> None:
        """Write the records, in ascending order of lanes."""
        f, d, window = self.f, self.d, self.window
        x0, y0, x1, y1 = self.box
        a, b, self.constants, c = self.rule.edges(self.xs, self.ys, self.area)
        if self.routes is not None and not self.is_conservative:
            is_touching = f.splat(d.get("setup.smooth_fill").ne(0), self.lanes)  # touched pixels are drawn, too
            c = [v + f.select(is_touching, reach_of(f, ka, kb), 0).sext(I64) for v, ka, kb in zip(c, a, b)]
        halves = [h for v in c for h in (v.trunc(I32), v.lshr(32).trunc(I32))]
        cut = f.select(self.cut, f.const(I32.wide(self.lanes), SetupLayout.CUT), 0)
        words = [*a, prims, *b, identity, *halves, x0 | cut | (y0 << 16), x1 | (y1 << 16)]
        keeps, by_weights = self.is_conservative, d.get("setup.weighs_corners")
        corners = f, window, self.ex, self.ey, self.area, (x0, y0), self.rule.unit
        depth = plane_maker(*corners, keeps_degenerate=keeps)([v[2] for v in window])
        plane = plane_maker(*corners, by_weights=by_weights, keeps_degenerate=keeps)
        rw = [v[3] for v in window]
        offset = self._depth_offset(depth)
        if self.routes is not None:
            depth[0] = depth[0] + self.routes.offset()
        words += [*depth, *plane(rw), x0 | (y0 << 16), offset]
        for g in range(0, len(words), 4):
            f.store_vec4s(words[g : g + 4], target, 4 * g)
        if self.squares is None:
            self._write_slots(target, plane)
            return
        with f.else_of(self.squares.truth) as otherwise:
            self._write_slots(target, None)
            otherwise()
            self._write_slots(target, plane)

    def _depth_offset(self, z: list[Val]) -> Val:
        """The depth offset of filled polygons with a plane of depth."""
        f, offset = self.f, self.d.part("offset")
        value = f.var(z[0].type, 0.0)
        with f.if_(offset.get("unit").ne(OffsetUnit.NONE)):
            depths = [v[2] for v in self.window]
            value.set(depth_offset(f, offset, offset.get("unit"), depths, f.max(f.abs(z[1]), f.abs(z[2]))))
        return value.get()

    def _write_slots(self, target: list[Val], plane: Plane | None) -> None:
        """Write the planes of all slots. With None, a point has the values of corner 2 throughout, except for sprite coordinates."""
        f, d = self.f, self.d
        zero = f.const(F32.wide(self.lanes), 0.0)
        sprite = self.squares.sprite_planes(self.box[:2]) if plane is None and self.squares is not None else []
        with f.range(0, d.get("setup.num_slots")) as s:
            mode = f.load(I32, d.address("setup.mode"), s << 2)
            flat, perspective = mode.eq(Mode.FLAT), mode.eq(Mode.PERSPECTIVE)
            corners = self._corners(s, (2,) if plane is None else (0, 1, 2))
            factors = [f.select(perspective, self.window[k][3], 1.0) for k in corners]
            there = [f.at(t, s * 48 + SetupLayout.SLOTS) for t in target]
            planes: list[list[Val]] = []
            for c in range(4):
                scaled = [v[c] * factor for v, factor in zip(corners.values(), factors)]
                first, *slopes = plane(scaled) if plane is not None else (scaled[-1], zero, zero)
                equation = [f.select(flat, corners[2][c], first), *(f.select(flat, zero, v) for v in slopes)]
                if sprite:
                    is_sprite = f.load(I32, d.address("points.is_sprite"), s << 2).ne(0)
                    equation = [f.select(is_sprite, new, old) for new, old in zip(sprite[c], equation)]
                planes.append(equation)
            for part in range(3):
                f.store_vec4s([channel_plane[part] for channel_plane in planes], there, 16 * part)

    def _corners(self, s: Val, numbers: Sequence[int]) -> dict[int, list[Val]]:
        """The values of a slot at some corners, for the visible face."""
        f, d = self.f, self.d
        front, back = f.load(I32, d.address("setup.front"), s << 2), f.load(I32, d.address("setup.back"), s << 2)
        value = {k: [f.var(v.type, v) for v in self._load_slot(front, k)] for k in numbers}
        with f.if_(front.ne(back)):
            for k, channels in value.items():
                for old, new in zip(channels, self._load_slot(back, k)):
                    old.set(f.select(self.front, old.get(), new))
        return {k: [v.get() for v in channels] for k, channels in value.items()}

    def _load_slot(self, slot: Val, corner: int) -> list[Val]:
        at = (slot << 4) + VertexLayout.SLOTS
        return self.f.load_vec4s([self.f.at(r, at) for r in self.records[corner]])
