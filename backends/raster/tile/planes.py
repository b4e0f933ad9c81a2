"""The parts of a shading kernel that all blocks share: arguments, planes of a triangle, constant outputs."""

from __future__ import annotations

import copy

from backends.abi.keys import SamplerKey, TextureKey
from backends.formats import Format
from backends.llvm.builder.function import BOOL, F32, I32, I64, Function, Val, Var
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.raster.draw_record import Draw
from backends.raster.layouts import Mode, SetupLayout
from backends.raster.records import Scene, Worker
from backends.raster.tile.fragment import FragmentInfo, FragmentKey
from backends.raster.tile.lists import quad_width
from backends.raster.tile.surfaces import Target, bound_target
from tgsi.language.record import record

_SHORT = 8  # instructions of a short program


@record(frozen=False, kw_only=True)
class Kernel:
    """Values and state that all blocks of a shading kernel share."""

    f: Function
    key: FragmentKey
    info: FragmentInfo
    draw: Record
    env: Val
    targets: list[tuple[int, Target]]  # number and surface of each written color buffer
    depth: Target | None
    fetched: list[tuple[int, Format, Target]]  # the color buffers that the program reads
    samples: Var | None
    invocations: Var | None
    hoisted: dict[int, Hoisted]  # by width
    streams: Val | None = None  # scalar, true if full blocks of runs bypass the caches

    @property
    def is_short(self) -> bool:
        """True for short programs that run for each block, whose speed depends on memory and divisions and whose code stays small."""
        return self.info.instructions <= _SHORT and self.depth is None and not self.key.is_masked


class Hoisted:
    """The outputs of a program that is the same for every fragment, computed at the beginning of the kernel.

    LLVM would not hoist the program out of the loops, because its loads may alias the stores of colors.
    """

    def __init__(self, f: Function, info: FragmentInfo, env: Val, lanes: int, exposed: int) -> None:
        """exposed: OUT registers whose exact bits matter, one bit each."""
        self.lane_map, self.env, self._exposed = LaneMap(lanes, "run"), env, exposed
        self.alive = f.const(BOOL.wide(lanes), -1)
        self._f = f
        out = info.emit(f, self, self.alive)
        registers = [*info.colors.values(), *(r for r in (info.depth, info.stencil) if r is not None)]
        self._values = {(r, c): out.get(r, c)[0] for r in registers for c in range(4)}

    def at(self, lanes: int) -> Hoisted:
        """The outputs for blocks of `lanes` lanes."""
        other = copy.copy(self)
        other.alive = self._f.const(BOOL.wide(lanes), -1)
        other._values = {k: self._f.splat(v, lanes) for k, v in self._values.items()}
        return other

    def get(self, register: int, channel: int) -> Val:
        """One channel of an output register."""
        return self._values[register, channel]

    def exposed_outputs(self) -> int:
        """OUT registers whose exact bits matter, one bit each."""
        return self._exposed

    def input(self, register: int, channel: int) -> Val:
        """A dummy value, because the program reads no input."""
        return self._f.const(F32.wide(self.lane_map.lanes), 0.0)

    system_value = input

    def texture_key(self, unit: int) -> TextureKey | None:
        """Return None: the program samples nothing."""
        return None

    def sampler_key(self, unit: int) -> SamplerKey | None:
        """Return None: the program samples nothing."""
        return None


def begin_kernel(f: Function, key: FragmentKey, info: FragmentInfo) -> Kernel:
    """Begin a shading kernel with values that it computes once: targets, counters, outputs that never change."""
    worker, draw, *_ = f.args
    w, d = Record(f, worker, Worker), Record(f, draw, Draw)
    s = Record(f, w.get("scene"), Scene)

    layer, has_samples = w.get("tile.layer") if key.layered else None, key.samples is not None

    def bound(name: str, index: int, texel_bytes: int) -> Target:
        return bound_target(f, s, layer, name, index, texel_bytes, has_samples=has_samples)

    targets = [(k, bound("color", k, t.texel_bytes)) for k, t in enumerate(key.targets) if t is not None]
    fetched = [(k, t, bound("color", k, t.block_bytes)) for k, t in key.fetched]
    depth = bound("depth", 0, key.depth.format.block_bytes) if key.depth is not None else None
    samples, invocations = (f.var(I32, 0) if wanted else None for wanted in (key.count_samples, key.count_invocations))
    env = w.get("tile.fragment_env")
    hoisted: dict[int, Hoisted] = {}
    if info.is_constant:
        once = Hoisted(f, info, env, key.lanes, info.exposed_outputs(key.targets))
        hoisted = {n: once.at(n) for n in (key.lanes, quad_width(key.lanes))}
    return Kernel(
        f=f,
        key=key,
        info=info,
        draw=d,
        env=env,
        targets=targets,
        depth=depth,
        fetched=fetched,
        samples=samples,
        invocations=invocations,
        hoisted=hoisted,
    )


def end_kernel(kernel: Kernel) -> None:
    """End a shading kernel: add its counters to the worker's, and return."""
    f = kernel.f
    w = Record(f, f.args[0], Worker)
    if kernel.invocations is not None:
        w.set("counters.fs_invocations", w.get("counters.fs_invocations") + kernel.invocations.get().zext(I64))
    if kernel.samples is not None:
        count = f.at(w.get("buffers.intervals"), kernel.draw.get("fragments.interval").zext(I64) << 3)
        f.store(f.load(I64, count, 0, 8) + kernel.samples.get().zext(I64), count, 0, 8)
    f.ret()


def anchor_of(f: Function, record: Val) -> tuple[Val, Val]:
    """Column and row of the pixel at which a triangle's planes begin."""
    word = f.load(I32, record, SetupLayout.ANCHOR)
    return word & 0xFFFF, word.lshr(16)


_ONE = 0x3F800000  # bits of 1.0


class Planes:
    """The planes of one setup record. `row` computes the parts that do not depend on x."""

    def __init__(self, kernel: Kernel, record: Val, lanes: int) -> None:
        self.kernel, self.f, self.record, self.lanes = kernel, kernel.f, record, lanes
        self.front = (self.f.load(I32, record, SetupLayout.IDENT) & 1).ne(0)
        self.anchor = anchor_of(self.f, record)
        self.has_unit_w = self._has_unit_w() if kernel.info.instructions <= _SHORT else None
        self.y: Val  # distance from the anchor's row
        self.z: tuple[Val, Val]
        self.w: tuple[Val, Val]
        self.slots: list[dict[int, tuple[Val, Val | None]]] = []

    def _has_unit_w(self) -> Val:
        """Scalar, true if w is 1 at all pixels."""
        w, dx, dy = (self.f.load(I32, self.record, SetupLayout.W + 4 * k) for k in range(3))
        return ((w ^ _ONE) | (dx << 1) | (dy << 1)).eq(0)

    def word(self, offset: int) -> Val:
        """A float of the record in all lanes."""
        return self.f.splat(self.f.load(F32, self.record, offset), self.lanes)

    def integer(self, offset: int) -> Val:
        """An integer of the record in all lanes."""
        return self.f.splat(self.f.load(I32, self.record, offset), self.lanes)

    def relative(self, v: Val, axis: int) -> Val:
        """The exact distance of a pixel coordinate from the anchor pixel, along an axis."""
        return (v - self.anchor[axis]).to_float()

    def at(self, offset: int, step: int, x: Val, y: Val) -> Val:
        """Value of a plane at a distance from the anchor pixel's center.

        offset: of the plane in the record; its gradients along x and y follow after `step` and twice `step` bytes."""
        return (self.word(offset) + self.word(offset + 2 * step) * y) + self.word(offset + step) * x

    def with_offset(self, z: Val) -> Val:
        """A depth of the plane with the primitive's depth offset, which is added last, because the plane's first value may be far out of
        range.
        """
        return z + self.word(SetupLayout.OFFSET) if self.kernel.key.is_offset else z

    def depth_range(self) -> tuple[Val, Val]:
        """The ends of the viewport's depth range (scalars)."""
        d, key, at = self.kernel.draw, self.kernel.key, SetupLayout.size(self.kernel.info.num_slots + self.kernel.key.has_place) + 8
        if not key.views:
            return d.get("view.depth_min"), d.get("view.depth_max")
        return self.f.load(F32, self.record, at), self.f.load(F32, self.record, at + 4)

    def keeps_depth_range(self, first: tuple[Val, Val], last: tuple[Val, Val]) -> Val:
        """Scalar, true if all depths in a rectangle of pixels are within the range, so that clamps can be skipped.

        first, last: pixels at two opposite corners. Each rounded step of a plane is monotonic, so the corners have the extreme depths.
        """
        f = self.f

        def corners(axis: int, picks: list[int]) -> Val:
            ends = f.insert(f.splat(first[axis] - self.anchor[axis], 2), last[axis] - self.anchor[axis], 1)
            return f.shuffle(ends, ends, picks).to_float()

        start, dx, dy = (f.splat(f.load(F32, self.record, SetupLayout.Z + 4 * k), 4) for k in range(3))
        z = (start + dy * corners(1, [0, 0, 1, 1])) + dx * corners(0, [0, 1, 0, 1])
        if self.kernel.key.is_offset:
            z = z + f.splat(f.load(F32, self.record, SetupLayout.OFFSET), 4)
        low, high = self.depth_range()
        return f.all((z > low) & (z < high))

    def mode(self, slot: int) -> Mode:
        """The interpolation of a slot."""
        key, info = self.kernel.key, self.kernel.info
        if slot >= len(info.slots) or key.sprites >> slot & 1:
            return Mode.LINEAR
        if key.constants >> slot & 1:
            return Mode.FLAT
        return info.slots[slot].mode(key.flatshade)

    def row(self, y: Val) -> None:
        """Begin a row of pixels at distance `y` from the anchor's row: set `z`, `w` and `slots`."""

        def plane(a0: int, dx: int, dy: int) -> tuple[Val, Val]:
            return self.word(a0) + self.word(dy) * y, self.word(dx)

        self.y = y
        self.z = plane(SetupLayout.Z, SetupLayout.Z + 4, SetupLayout.Z + 8)
        self.w = plane(SetupLayout.W, SetupLayout.W + 4, SetupLayout.W + 8)
        self.slots = []
        info = self.kernel.info
        for k in range(info.num_slots):
            usage = info.slots[k].usage_mask if k < len(info.slots) else 15
            channels: dict[int, tuple[Val, Val | None]] = {}
            for c in range(4):
                at = SetupLayout.SLOTS + 48 * k + 4 * c
                if usage >> c & 1:
                    channels[c] = (self.word(at), None) if self.mode(k) is Mode.FLAT else plane(at, at + 16, at + 32)
            self.slots.append(channels)


class Reciprocals:
    """1 / w of the blocks of a run, each computed a block ahead to hide the latency of divisions; 1 if w is 1 for the whole primitive."""

    @staticmethod
    def are_worth_it(planes: Planes) -> bool:
        """True if the latency of divisions matters, as in short programs with perspective."""
        uses = any(planes.mode(k) is Mode.PERSPECTIVE and channels for k, channels in enumerate(planes.slots))
        return uses and planes.kernel.is_short

    def __init__(self, planes: Planes, x: Val) -> None:
        """x: distances of the first block's pixels from the anchor's column."""
        self._planes = planes
        assert planes.has_unit_w is not None
        self._divides = ~planes.has_unit_w
        self._var = planes.f.var(F32.wide(planes.lanes), 1.0)
        with planes.f.if_(self._divides):
            self._divide(x)

    def next(self, x: Val, goes_on: Val) -> Val:
        """1 / w of the current block. x: distances of the next block, if the scalar `goes_on` is true."""
        current = self._var.get()
        with self._planes.f.if_(self._divides & goes_on):
            self._divide(x)
        return current

    def _divide(self, x: Val) -> None:
        w, dx = self._planes.w
        self._var.set(1.0 / (w + dx * x))
