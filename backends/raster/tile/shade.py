"""Shading: one kernel for each `FragmentKey` and program. It walks the list of pixel blocks that coverage made (see `coverage`)."""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module, Type, Val, Var
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.record import Record
from backends.llvm.builder.values import mask_of
from backends.raster.draw_record import Draw
from backends.raster.records import Scene, Worker
from backends.raster.tile.blend import Colors, write_target
from backends.raster.tile.buffer_keys import TargetKey
from backends.raster.tile.depth import DepthTest, compare
from backends.raster.tile.fragment import FragmentInfo, FragmentKey, Outputs
from backends.raster.tile.inputs import PixelInputs
from backends.raster.tile.lists import quad_width, row_lanes, run_bytes, run_rows
from backends.raster.tile.pixel_queue import SHADE_PIXELS, PixelPlanes, PixelQueue, queues_pixels
from backends.raster.tile.planes import Hoisted, Kernel, Planes, Reciprocals
from backends.raster.tile.shader_memory import BlockMemory
from backends.raster.tile.surfaces import PixelView, QuadView, RunView, Target, bound_target, streams, views_ahead
from tgsi.language.record import record

_AHEAD = 96  # bytes of the list from a block of quads to the one whose texels are prefetched


def build_shade(key: FragmentKey, info: FragmentInfo, module: Module) -> None:
    """shade(worker, draw, arena, list, size). The kernel has the fragment shader once for runs, and with `key.quads` again for quads."""
    has_queue = queues_pixels(key, info)
    if has_queue:
        _build_shade_pixels(key, info, module)
    f = Function(module, "shade", [PTR, PTR, PTR, PTR, I32])
    _, _, arena, list_, size = f.args
    lanes, narrow = key.lanes, quad_width(key.lanes)
    kernel = begin_kernel(f, key, info)
    if not key.reads_targets and key.depth is None:
        kernel.streams = streams(f, [t for _, t in kernel.targets], lanes, size)
    queue = PixelQueue(kernel, narrow) if has_queue else None
    cursor = f.var(I32, 0)
    with f.loop() as loop:
        here = cursor.get()
        loop.break_if(here >= size)
        record, blocks, xy, bits = (f.load(I32, list_, here + 4 * k) for k in range(4))
        at = f.at(arena, record)
        x, y = xy & 0xFFFF, xy.lshr(16)
        mask = f.load(I64, list_, here + 16) if lanes > 32 else bits
        if not key.quads:
            _shade_run(kernel, Planes(kernel, at, lanes), (x, y), blocks, mask)
            cursor.set(here + run_bytes(lanes))
        else:
            with f.else_of(bits.ne(0)) as quads:
                if queue is not None:
                    queue.flush()
                _shade_run(kernel, Planes(kernel, at, lanes), (x, y), blocks, mask)
                cursor.set(here + run_bytes(lanes))
                quads()
                if queue is not None:
                    queue.begin(record, xy)
                _shade_quads(kernel, Planes(kernel, at, narrow), (x, y), blocks, f.at(list_, here + 16), queue)
                cursor.set(here + 16 + blocks * narrow)
    if queue is not None:
        queue.flush()
    end_kernel(kernel)


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


def tests_late(key: FragmentKey, info: FragmentInfo, kills: bool) -> bool:
    """True if depth and stencil are tested after the program, and not before it."""
    if key.depth is None:
        return False
    writes = info.depth is not None or info.stencil is not None or info.has_side_effects
    return (writes and not info.tests_early) or (kills and bool(key.depth.stencil))


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


def _shade_run(kernel: Kernel, planes: Planes, corner: tuple[Val, Val], blocks: Val, bits: Val) -> None:
    f, lanes, rows = kernel.f, planes.lanes, run_rows(planes.lanes, kernel.info.has_loops)
    lane_columns, lane_rows = row_lanes(lanes, rows)
    lane_x, lane_y = (f.lanes_const(I32.wide(lanes), v) for v in (lane_columns, lane_rows))
    if f.has_word_masks and lanes <= 32:
        each = f.lanes_const(I32.wide(lanes), [1 << i for i in range(lanes)])
        covered = mask_of((each & bits).eq(each).sext(I32))
    else:
        covered = (bits.trunc(Type("i", lanes)) if lanes < 32 else bits).bits_as(BOOL.wide(lanes))
    full = bits.eq((1 << lanes) - 1 if lanes < 32 else -1)
    first_x, y = lane_x + corner[0], lane_y + corner[1]
    planes.row(planes.relative(y, 1))
    pixel_y, columns = y.to_float() + 0.5, lanes // rows
    middle = f.splat(planes.anchor[0].to_float() + 0.5, lanes)
    views = [RunView(f, t, lanes, *corner, rows, kernel.streams) for _, t in kernel.targets]
    depth = RunView(f, kernel.depth, lanes, *corner, rows) if kernel.depth is not None else None
    fetched = [RunView(f, t, lanes, *corner, rows) for _, _, t in kernel.fetched]
    last = corner[0] + blocks * columns - 1, corner[1] + (rows - 1)
    in_range = planes.keeps_depth_range(corner, last) if kernel.depth is not None else None
    only_stores = kernel.is_short and not kernel.info.is_constant and not kernel.key.reads_targets
    small = [t for _, t in kernel.targets if t.texel_bytes <= 4] if only_stores else []  # wide texels fill memory anyway
    ahead = views_ahead(f, small, lanes, (corner, blocks), rows)
    start = planes.relative(f.lanes_const(I32.wide(columns), range(columns)) + corner[0], 0)
    distance = f.var(F32.wide(columns), start)  # whole numbers, so sums are exact; they have less latency than conversions of k
    ready = Reciprocals(planes, f.shuffle(start, start, lane_columns)) if Reciprocals.are_worth_it(planes) else None
    with f.range(0, blocks) as k:
        before = distance.get()
        after = before + float(columns)
        distance.set(after)
        x = f.shuffle(before, before, lane_columns)
        for view in ahead:
            view.prefetch(k)
        block = PixelBlock(
            kernel=kernel,
            planes=planes,
            lane_map=LaneMap(lanes, "run", rows),
            x=x,
            centers=(x + middle, pixel_y),
            pixels=(first_x + k * columns, y),
            colors=[v.move(k) for v in views],
            depth=depth.move(k) if depth is not None else None,
            fetched=[v.move(k) for v in fetched],
            unique=None,
            full=full,
            in_range=in_range,
            ready_w=ready.next(f.shuffle(after, after, lane_columns), k + 1 < blocks) if ready is not None else None,
        )
        block.shade(covered)


def _shade_quads(kernel: Kernel, planes: Planes, tile: tuple[Val, Val], blocks: Val, words_at: Val, queue: PixelQueue | None) -> None:
    f, lanes, per_block = kernel.f, planes.lanes, planes.lanes // 4
    vec = I32.wide(lanes)
    positions = ([i % 2 for i in range(lanes)], [i // 2 % 2 for i in range(lanes)])
    lane_x, lane_y = (f.lanes_const(vec, v) + t for v, t in zip(positions, tile))
    bit = f.lanes_const(vec, [1 << 16 + i % 4 for i in range(lanes)])
    views = [QuadView(f, t, lanes, *tile) for _, t in kernel.targets]
    depth = QuadView(f, kernel.depth, lanes, *tile) if kernel.depth is not None else None
    fetched = [QuadView(f, t, lanes, *tile) for _, _, t in kernel.fetched]
    pixel = f.lanes_const(vec, [x | y << 8 for x, y in zip(*positions)])
    with f.range(0, blocks) as k:
        at = f.at(words_at, k * lanes)
        packed = f.load(I32.wide(per_block), at) if per_block > 1 else f.load(I32, at)
        word = f.shuffle(packed, packed, [i // 4 for i in range(lanes)]) if per_block > 1 else f.splat(packed, lanes)
        x, y, covered = (word & 63) + lane_x, (word.lshr(8) & 63) + lane_y, (word & bit).ne(0)
        covered = mask_of(covered.sext(I32)) if f.has_word_masks else covered
        words = [f.load(I32, at, 4 * q) for q in range(per_block)]
        for q in {0, per_block - 1}:
            later = f.load(I32, at, _AHEAD + 4 * q)  # perhaps a word of another entry, but any word gives places inside the tile
            for view in (*(views if queue is None else []), *([depth] if depth is not None else [])):
                view.prefetch(later)
        planes.row(planes.relative(y, 1))
        centers = (x.to_float() + 0.5, y.to_float() + 0.5)
        # The last block is padded with its last quad, which counters and atomics must not see twice.
        before = f.shuffle(word, word, [max(i - 4, 0) for i in range(lanes)])
        first = f.lanes_const(vec, [-1 if i < 4 else 0 for i in range(lanes)]).ne(0) | word.ne(before)
        block = PixelBlock(
            kernel=kernel,
            planes=planes,
            lane_map=LaneMap(lanes, "quad"),
            x=planes.relative(x, 0),
            centers=centers,
            pixels=(x, y),
            colors=[v.move(words) for v in views],
            depth=depth.move(words) if depth is not None else None,
            fetched=[v.move(words) for v in fetched],
            unique=first,
        )
        if queue is None:
            block.shade(covered)
        else:
            block.enqueue(covered, queue, pixel + (word & 0x3F3F))


def _build_shade_pixels(key: FragmentKey, info: FragmentInfo, module: Module) -> None:
    """shade_pixels(worker, draw, arena, pixels, records, count, tile x | tile y << 16): shades the pixels of a queue; see `pixel_queue`."""
    f = Function(module, SHADE_PIXELS, [PTR, PTR, PTR, PTR, PTR, I32, I32], internal=True)
    _, _, arena, pixels_at, records_at, count, corner = f.args
    kernel, lanes = begin_kernel(f, key, info), quad_width(key.lanes)
    tile = corner & 0xFFFF, corner.lshr(16)
    views = [PixelView(f, t, lanes, *tile) for _, t in kernel.targets]
    with f.range(0, count, lanes) as k:
        word = f.load(I32.wide(lanes), pixels_at, k << 2, 4)
        planes = PixelPlanes(kernel, arena, f.at(records_at, k << 2), lanes)
        x, y = (word & 63) + tile[0], (word.lshr(8) & 63) + tile[1]
        planes.row(planes.relative(y, 1))
        block = PixelBlock(
            kernel=kernel,
            planes=planes,
            lane_map=LaneMap(lanes, "quad"),
            x=planes.relative(x, 0),
            centers=(x.to_float() + 0.5, y.to_float() + 0.5),
            pixels=(x, y),
            colors=[v.move(word) for v in views],
            depth=None,
            fetched=[],
            unique=None,
        )
        block.shade_tested()
    f.ret()


@record(frozen=False, kw_only=True)
class PixelBlock(BlockMemory, PixelInputs):
    """One block of pixels: the tests around the fragment shader, and the stores."""

    full: Val | None = None  # scalar, true if all lanes are covered, for runs

    def shade(self, mask: Val) -> None:
        """Run tests, shader, blending and stores for the lanes of `mask`."""
        kernel, f = self.kernel, self.kernel.f
        key, info = kernel.key, kernel.info
        skip = f.label()
        if key.is_masked:
            from backends.raster.tile.pixel_masks import drawn  # imported late, as it loads the front end of points and lines

            alive, self._coverage = drawn(self.planes, self.x, self.pixels)
            mask = mask & alive
            self._skip_unless(mask, skip)
        self._covered = self._sample_mask = mask
        kills = (info.kills or key.alpha is not None or key.to_coverage) and not info.tests_early
        late = tests_late(key, info, kills)
        old = self.depth.load() if self.depth is not None else []
        test = DepthTest(f, key.depth, kernel.draw, self.planes.lanes) if key.depth is not None else None
        tested = mask
        if test is not None and self.depth is not None and not late:
            outcome = test.run(self._depth_of_plane(), old, mask, self.planes.front)
            tested = outcome.passed
            if test.key.stencil and test.key.writes:
                self.depth.store(outcome.words)
            self._skip_unless(tested, skip)
            if not test.key.stencil and not kills and test.key.writes:
                self.depth.store(outcome.words)
        mask = tested
        if info.tests_early:
            self._covered = mask
            self._sample_mask = mask if info.has_late_coverage else self._sample_mask
            self._count(kernel.samples, mask)
        self._count(kernel.invocations, mask)
        self._stored = {number: block.load() for (number, _, _), block in zip(kernel.fetched, self.fetched)}
        out: Outputs | None = None
        if kernel.targets or kills or late or info.has_side_effects:
            out = kernel.hoisted.get(self.planes.lanes) or self._run_program(mask)
            if info.kills:
                mask = mask & out.alive
            if info.sample_mask is not None and not key.ignores_mask:
                mask = mask & self._sample_bit(out.get(info.sample_mask, 0).as_int())
            mask = self._without_padding(mask & self._alpha_test(out))
        if test is not None and self.depth is not None and (late or (kills and test.key.writes)):
            z = self._plane_depth() if info.depth is None or out is None else out.get(info.depth, 2)
            ref = out.get(info.stencil, 1).as_int() & 255 if info.stencil is not None and out is not None else None
            outcome = test.run(self._depth(z), old, mask, self.planes.front, ref)
            mask = outcome.passed
            if test.key.writes:
                self.depth.store(outcome.words)
        if not info.tests_early:
            self._count(kernel.samples, mask)
        if out is not None:
            self._write_colors(out, mask)
        f.jump(skip)
        f.place(skip)

    def enqueue(self, mask: Val, queue: PixelQueue, pixels: Val) -> None:
        """Run the tests for the lanes of `mask`, and append those that pass to a queue. pixels: x | y << 8 in the tile."""
        kernel, f = self.kernel, self.kernel.f
        skip, passed = f.label(), mask
        if self.depth is not None and kernel.key.depth is not None:
            test = DepthTest(f, kernel.key.depth, kernel.draw, self.planes.lanes)
            outcome = test.run(self._depth(self._plane_depth()), self.depth.load(), mask, self.planes.front)
            passed = outcome.passed
            if test.key.writes:
                self.depth.store(outcome.words)
            self._skip_unless(passed, skip)
        self._count(kernel.invocations, passed)
        self._count(kernel.samples, passed)
        queue.append(pixels, self.once(passed))
        f.jump(skip)
        f.place(skip)

    def shade_tested(self) -> None:
        """Run the program and the stores for all lanes, which have already passed their tests."""
        mask = self.kernel.f.const(BOOL.wide(self.planes.lanes), -1)
        self._covered = self._sample_mask = mask
        self._write_colors(self._run_program(mask), mask)

    @property
    def _keeps_covered(self) -> bool:
        """True if every covered pixel is stored, because no test, mask or discard can drop one."""
        key, info = self.kernel.key, self.kernel.info
        is_tested = key.is_masked or key.depth is not None or key.alpha is not None or key.to_coverage
        return not (is_tested or info.kills or info.has_side_effects or (info.sample_mask is not None and not key.ignores_mask))

    def _without_padding(self, mask: Val) -> Val:
        """The lanes of `mask` without padding quads, whose atomics are disabled and return no results."""
        return self.once(mask) if self.kernel.info.has_side_effects else mask

    def _sample_bit(self, written: Val) -> Val:
        """The lanes whose sample is in the sample mask that the program wrote."""
        return (written & 1).ne(0)

    def _skip_unless(self, mask: Val, skip: str) -> None:
        f = self.kernel.f
        go = f.label()
        f.branch(f.any(mask), go, skip)
        f.place(go, follows=True)

    def _count(self, counter: Var | None, mask: Val) -> None:
        if counter is not None:
            f = self.kernel.f
            counted = self.once(mask)
            bits = counted.bits_as(I64) if self.planes.lanes > 32 else f.mask_bits(counted)
            counter.add(f.popcount(bits).cast("trunc", I32) if bits.type == I64 else f.popcount(bits))

    def _color(self, out: Outputs, index: int) -> list[Val] | None:
        f, info = self.kernel.f, self.kernel.info
        register = info.colors.get(index)
        if register is None:
            return None
        color = [out.get(register, c) for c in range(4)]
        if self.kernel.key.clamp_color:
            color = [f.min(f.max(v, 0.0), 1.0) for v in color]
        return color

    def _alpha_test(self, out: Outputs) -> Val:
        f, key, lanes = self.kernel.f, self.kernel.key, self.planes.lanes
        if key.alpha is None:
            return f.const(BOOL.wide(lanes), -1)
        color = self._color(out, 0)
        alpha = color[3] if color is not None else f.const(F32.wide(lanes), 0.0)
        alpha = alpha if self._coverage is None else alpha * self._coverage
        return compare(f, key.alpha, alpha, f.splat(self.kernel.draw.get("fragments.alpha_ref"), lanes))

    def _write_colors(self, out: Outputs, mask: Val) -> None:
        kernel, f = self.kernel, self.kernel.f
        for (index, _), block in zip(kernel.targets, self.colors):
            target = kernel.key.targets[index]
            assert target is not None
            old = self._stored.get(index) or (block.load() if target.reads else None)
            words = write_target(f, target, self._colors(out, index, target), old)
            full = self.full if self._keeps_covered else None
            if old is None:
                block.store_masked(words, mask, full)
            else:
                block.store_over(words, old, mask, full)

    def _colors(self, out: Outputs, index: int, target: TargetKey) -> Colors:
        """The colors of a fragment for one target."""
        kernel, f = self.kernel, self.kernel.f
        zero = [f.const(F32.wide(self.planes.lanes), 0.0)] * 4
        color = self._color(out, 0 if kernel.info.writes_all else index) or zero
        second = (self._color(out, 1) if target.wants_second else None) or zero
        if self._coverage is not None and not target.format.is_integer:
            color = [*color[:3], color[3] * self._coverage]
        if kernel.key.to_one and not target.format.is_integer:
            one = f.const(F32.wide(self.planes.lanes), 1.0)
            color, second = [*color[:3], one], [*second[:3], one]
        return Colors(color, second, self._constant)

    def _constant(self, channel: int) -> Val:
        return self.kernel.draw.get("fragments.blend_color", channel)
