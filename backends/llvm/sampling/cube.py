"""Cube maps: the face that a direction hits, and coordinates on it (OpenGL 4.6, table 8.19)."""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import I32, Function, Type, Val
from backends.llvm.builder.scalarize import lane_offsets
from backends.llvm.library.math import SIGN
from backends.llvm.library.packing import unpack
from backends.llvm.sampling.comparing import Comparison
from backends.llvm.sampling.corners import load_pairs
from backends.llvm.sampling.fetch import fetch_texel, load_scattered, texel_offset
from backends.llvm.sampling.filter import mix
from backends.llvm.sampling.texture import Level, Texture
from tgsi.language.record import record


@record
class _Side:
    """The face of each lane, by its axis and the sign on it. Components are negated by the signs (i32, 0 or the sign bit) of three axes.

    Those along s and t are (-z, -y) and (z, -y) on +x and -x, (x, z) and (x, -z) on +y and -y, (x, -y) and (-x, -y) on +z and -z.
    """

    f: Function
    on_x: Val
    on_y: Val
    signs: tuple[Val, Val, Val]

    @staticmethod
    def of(f: Function, on_x: Val, on_y: Val, negative: Val) -> _Side:
        """Sides from lane masks; on_y is set in no lane of on_x."""
        sign, none = f.const(I32.wide(on_x.lanes), SIGN), f.const(I32.wide(on_x.lanes), 0)
        major = f.select(negative, sign, none)
        return _Side(f, on_x, on_y, (f.select(on_y, none, f.select(on_x, major ^ SIGN, major)), f.select(on_y, major, sign), major))

    def components(self, vector: Sequence[Val]) -> tuple[Val, Val, Val]:
        """Components of a vector (f32) along s and t, and along the major axis, outwards."""
        f, (x, y, z) = self.f, vector
        components = f.select(self.on_x, z, x), f.select(self.on_y, z, y), f.select(self.on_x, x, f.select(self.on_y, y, z))
        s, t, major = ((value.as_int() ^ sign).as_float() for value, sign in zip(components, self.signs))
        return s, t, major


def project(
    f: Function, direction: Sequence[Val], changes: Sequence[Sequence[Val]] | None
) -> tuple[Val, list[Val], list[list[Val]] | None]:
    """Face (i32, 0 to 5), s and t on it in [0, 1], and their derivatives along x and y, computed from derivatives of the direction.

    The zero vector and NaN give some valid face and coordinates.
    """
    x, y, z = direction
    ax, ay, az = (f.abs(v) for v in direction)
    on_x = (ax >= ay) & (ax >= az)
    on_y = ~on_x & (ay >= az)
    lanes = x.lanes
    major = f.select(on_x, x, f.select(on_y, y, z))
    negative = major < 0.0
    base = f.select(on_x, 0, f.select(on_y, f.const(I32.wide(lanes), 2), 4))
    face = base - negative.sext(I32)

    size = f.abs(major)
    size = f.select(size > 0.0, size, 1.0)
    scale = 0.5 / size
    side = _Side.of(f, on_x, on_y, negative)
    s, t, _ = side.components(direction)
    coords = [s * scale + 0.5, t * scale + 0.5]
    if changes is None:
        return face, coords, None
    gradients = []
    for change in changes:
        ds, dt, along = side.components(change)
        gradients.append([(ds - (s / size) * along) * scale, (dt - (t / size) * along) * scale])
    return face, coords, gradients


def _minor(f: Function, on_x: Val, on_y: Val, negative: Val, vector: Sequence[Val]) -> tuple[Val, Val]:
    """`_Side.components` of integers, along s and t."""
    vx, vy, vz = vector
    s = f.select(on_x, -vz, vx)
    s = f.select(negative & ~on_y, -s, s)
    t = f.select(on_y, f.select(negative, -vz, vz), -vy)
    return s, t


def _across_edge(f: Function, face: Val, i: Val, j: Val, size: Val) -> tuple[Val, Val, Val]:
    """Face and indices of the texel at (i, j). One of i and j may be -1 or `size`; the texel then lies on the adjacent face.

    The computation uses the direction times 2 * size, in integers: a texel one step outside lies on the edge of the adjacent face.
    """
    outside = i.uge(size) | j.uge(size)
    along = size + outside.sext(I32)
    low = -size
    cs, ct = (f.min(f.max((index << 1) + 1 - size, low), size) for index in (i, j))
    axis, negative = face >> 1, (face & 1).ne(0)
    on_x, on_y, on_z = (axis.eq(k) for k in range(3))
    major = f.select(negative, -along, along)
    x = f.select(on_x, major, f.select(on_z & negative, -cs, cs))
    y = f.select(on_y, major, -ct)
    z = f.select(on_z, major, f.select(on_x, f.select(negative, cs, -cs), f.select(negative, -ct, ct)))
    on_x = x.eq(size) | x.eq(low)
    on_y = ~on_x & (y.eq(size) | y.eq(low))
    negative = f.select(on_x, x, f.select(on_y, y, z)) < 0
    adjacent = f.select(on_x, 0, f.select(on_y, f.const(I32.wide(x.lanes), 2), 4)) - negative.sext(I32)
    s, t = _minor(f, on_x, on_y, negative, (x, y, z))
    return adjacent, (s + size - 1) >> 1, (t + size - 1) >> 1


@record(kw_only=True)
class SeamlessFootprint:
    """The four texels of a bilinear filter that continues across the edges of a cube's faces.

    firsts: s and t of the upper left texel, from -1 on. weights: of the texels to the right and below. layer: 6 * cube + face.
    The texel that is missing at a cube's corner is replaced by its neighbor in t; OpenGL leaves the choice open.
    """

    f: Function
    texture: Texture
    level: Level
    size: Val
    firsts: Sequence[Val]
    weights: Sequence[Val]
    layer: Val

    @staticmethod
    def of(
        f: Function,
        texture: Texture,
        level: Level,
        coords: Sequence[Val],
        layer: Val,
        snap: Val | None,
        shifts: Sequence[Val | float | None],
    ) -> SeamlessFootprint:
        """Footprint around a place. coords: s and t on the face. Lanes of `snap` take the nearest texel. shifts: texel offsets."""
        size = f.min(level.width, level.height)
        extent = size.to_float()
        firsts, weights = [], []
        for axis, coord in enumerate(coords):
            x = coord * extent
            shift = shifts[axis]
            if shift is not None:
                x = x + shift
            x = f.min(f.max(x, f.hidden(0.0)), extent)  # with a constant 0, LLVM compares and selects
            u = x - 0.5
            if snap is not None:
                u = f.select(snap, f.min(f.floor(x), extent - 1.0), u)
            whole = f.floor(u)
            firsts.append(whole.cast("fptosi", I32))
            weights.append(u - whole)
        return SeamlessFootprint(f=f, texture=texture, level=level, size=size, firsts=firsts, weights=weights, layer=layer)

    @property
    def _cube(self) -> Val:
        """First layer of each lane's cube."""
        return self.layer.udiv(6) * 6

    def _place(self, cube: Val, right: Val | int, down: Val | int) -> tuple[Val, Val, Val]:
        """Indices and layer of the texel 0 or 1 to the right and 0 or 1 down. cube: `_cube`."""
        f = self.f
        i, j = self.firsts[0] + right, self.firsts[1] + down
        j = f.select(i.uge(self.size), f.min(f.max(j, 0), self.size - 1), j)
        face, i, j = _across_edge(f, self.layer - cube, i, j, self.size)
        return i, j, f.min(cube + face, f.max(self.level.depth, 1) - 1)

    def texel(self, right: int, down: int) -> list[Val]:
        """Channels of a texel."""
        return fetch_texel(self.f, self.texture, self.level, *self._place(self._cube, right, down))

    def texels(self) -> list[list[Val]]:
        """Channels of all texels: left, right, lower left, lower right. Footprints inside of their faces need no question at each texel."""
        f, format = self.f, self.texture.key.format
        last = self.size - 1
        start = texel_offset(self.level, format.block_bytes, self.firsts[0], self.firsts[1], self.layer)
        lower = start + self.level.row_stride
        in_words = format.block_bytes == 4
        variables = [f.var(I32.wide(last.lanes) if in_words else start.type) for _ in range(4)]
        with f.else_of(f.all(self.firsts[0].ult(last) & self.firsts[1].ult(last))) as otherwise:
            if in_words:
                bases = self.texture.base, f.at(self.texture.base, self.level.row_stride[0])
                values = [word for base in bases for word in load_pairs(f, base, lane_offsets(start))]
            else:
                values = [row + x for row in (start, lower) for x in (0, format.block_bytes)]
            for variable, value in zip(variables, values):
                variable.set(value)
            otherwise()
            for variable, value in zip(variables, self._across(variables[0].type, in_words)):
                variable.set(value)
        if in_words:
            return [unpack(f, format, [variable.get()]) for variable in variables]
        return [unpack(f, format, load_scattered(f, self.texture, variable.get(), None)) for variable in variables]

    def _across(self, type: Type, in_words: bool) -> list[Val]:
        """Words or offsets of the texels where some lie on other faces: in a loop, as this is rare and its code is long."""
        f, size, cube = self.f, type.lanes * type.bits // 8, self._cube
        table = f.lane_memory("corners", type.wide(4 * type.lanes))
        with f.range(0, 4) as corner:
            offset = texel_offset(self.level, self.texture.key.format.block_bytes, *self._place(cube, corner & 1, corner.lshr(1)))
            value = load_scattered(f, self.texture, offset, None)[0] if in_words else offset
            f.store(value, f.at(table, corner * size))
        return [f.load(type, table, k * size) for k in range(4)]


def filter_seamless(f: Function, footprint: SeamlessFootprint, step: Comparison | None = None) -> list[Val]:
    """Bilinear filter across the edges of a cube. step: applied to each texel first."""
    texels = footprint.texels()
    if step is not None:
        texels = [step(texel) for texel in texels]
    u, v = footprint.weights
    rows = [[mix(a, b, u) for a, b in zip(*texels[k : k + 2])] for k in (0, 2)]
    return [mix(a, b, v) for a, b in zip(*rows)]
