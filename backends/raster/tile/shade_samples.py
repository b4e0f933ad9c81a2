"""Shading of multisampled targets: one kernel for each `FragmentKey` and program, which walks the list that `coverage_samples` made.

A program whose inputs are the same for all samples runs once a pixel: depth and stencil are tested for each sample before or after the
program, and its color is stored to every sample that passes. Other programs run for each sample separately, as `shade` runs them for a
pixel, with that sample's plane of each target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.lanes import LaneMap
from backends.pipe.limits import MAX_TARGET_SAMPLES
from backends.raster.layouts import SetupLayout
from backends.raster.tile.blend import write_target
from backends.raster.tile.coverage_samples import PER_WORD, mask_words, run_size
from backends.raster.tile.depth import DepthTest
from backends.raster.tile.fragment import FragmentInfo, FragmentKey, Outputs
from backends.raster.tile.lists import quad_width, row_lanes
from backends.raster.tile.pixel_block import tests_late
from backends.raster.tile.pixel_masks import drawn
from backends.raster.tile.planes import Kernel, Planes, begin_kernel, end_kernel
from backends.raster.tile.sample_inputs import SampledBlock, lanes_of, sample_word
from backends.raster.tile.surfaces import Block, QuadView, RunView, Target
from tgsi.language.record import record

UNROLLED = 4  # samples; code for more samples is a loop instead of unrolled


def build_sample_shade(key: FragmentKey, info: FragmentInfo, module: Module) -> None:
    """shade(worker, draw, arena, list, size)."""
    f = Function(module, "shade", [PTR, PTR, PTR, PTR, I32])
    _, _, arena, list_, size = f.args
    kernel = begin_kernel(f, key, info)
    walk = _Walk(kernel, f.alloca(f"[{MAX_TARGET_SAMPLES} x i32]"), f.alloca(f"[{MAX_TARGET_SAMPLES} x i32]"))
    assert key.samples is not None
    count, narrow = key.samples.count, quad_width(key.lanes)
    cursor = f.var(I32, 0)
    with f.loop() as loop:
        here = cursor.get()
        loop.break_if(here >= size)
        record, blocks, xy, kind = (f.load(I32, list_, here + 4 * k) for k in range(4))
        at = f.at(arena, record)
        corner = xy & 0xFFFF, xy.lshr(16)
        tail = f.at(list_, here + 16)
        if not key.quads:
            walk.runs(at, corner, blocks, tail)
            cursor.set(here + run_size(count))
        else:
            with f.else_of(kind.ne(0)) as quads:
                walk.runs(at, corner, blocks, tail)
                cursor.set(here + run_size(count))
                quads()
                walk.quads(at, corner, blocks, tail)
                cursor.set(here + 16 + blocks * (narrow * (1 + mask_words(count))))
    end_kernel(kernel)


@record(frozen=False)
class _Walk:
    """A walk over the blocks of an entry, once for all samples or once for each sample."""

    kernel: Kernel
    covered: Val  # array of lane masks, one a sample: coverage of packed quads, and scratch memory of runs
    passed: Val  # array of lane masks, one a sample: samples that passed the early tests

    def _each(self) -> Iterator[tuple[Kernel, Val | None, tuple[Val, Val] | None]]:
        """For each sample, the kernel with its targets, its number and its position; or only the kernel itself, None and None."""
        kernel, f, pattern = self.kernel, self.kernel.f, self.kernel.key.samples
        assert pattern is not None
        if not kernel.key.per_sample:
            yield kernel, None, None
            return
        with f.range(0, pattern.count) as s:
            seen = replace(
                kernel,
                targets=[(k, t.sample(f, s)) for k, t in kernel.targets],
                depth=kernel.depth.sample(f, s) if kernel.depth is not None else None,
                fetched=[(k, format, t.sample(f, s)) for k, format, t in kernel.fetched],
            )
            yield seen, s, (f.load(F32, pattern.table(f, kernel.draw, 0), s << 2), f.load(F32, pattern.table(f, kernel.draw, 1), s << 2))

    def _shade(self, block: PixelSamples, words: Val, s: Val | None) -> None:
        f = self.kernel.f
        block.words, block.scratch, block.passed = words, self.covered, self.passed
        if s is None:
            block.shade_pixels()
            return
        covered = block.covered(s)
        with f.if_(f.any(covered)):
            block.shade(covered)

    def runs(self, record: Val, corner: tuple[Val, Val], blocks: Val, words: Val) -> None:
        """Shade a run: blocks of lanes/2 x 2 pixels side by side."""
        lanes, f = self.kernel.key.lanes, self.kernel.f
        lane_x, lane_y = (f.lanes_const(I32.wide(lanes), v) for v in row_lanes(lanes))
        first_x, y = lane_x + corner[0], lane_y + corner[1]
        for kernel, s, own in self._each():
            planes = Planes(kernel, record, lanes)
            row, x0 = planes.relative(y, 1), planes.relative(first_x, 0)
            pixel_x, pixel_y = first_x.to_float() + 0.5, y.to_float() + 0.5
            if own is not None:
                row, x0, pixel_x, pixel_y = row + own[1], x0 + own[0], pixel_x + own[0], pixel_y + own[1]
            planes.row(row)
            views = [RunView(f, t, lanes, *corner) for _, t in kernel.targets]
            depth = RunView(f, kernel.depth, lanes, *corner) if kernel.depth is not None else None
            fetched = [RunView(f, t, lanes, *corner) for _, _, t in kernel.fetched]
            columns = f.var(F32, 0.0)  # whole numbers, so sums are exact; they have less latency than a conversion of k
            with f.range(0, blocks) as k:
                step = k * (lanes // 2)
                before = columns.get()
                columns.set(before + float(lanes // 2))
                across = f.splat(before, lanes)
                block = PixelSamples(
                    kernel=kernel,
                    planes=planes,
                    lane_map=LaneMap(lanes, "run"),
                    x=x0 + across,
                    centers=(pixel_x + across, pixel_y),
                    pixels=(first_x + step, y),
                    colors=[v.move(k) for v in views],
                    depth=depth.move(k) if depth is not None else None,
                    fetched=[v.move(k) for v in fetched],
                    unique=None,
                    own=own,
                    number=s,
                )
                self._shade(block, words, s)

    def quads(self, record: Val, tile: tuple[Val, Val], blocks: Val, words_at: Val) -> None:
        """Shade blocks of packed quads."""
        f, lanes = self.kernel.f, quad_width(self.kernel.key.lanes)
        per_block, vec = lanes // 4, I32.wide(lanes)
        positions = ([i % 2 for i in range(lanes)], [i // 2 % 2 for i in range(lanes)])
        lane_x, lane_y = (f.lanes_const(vec, v) + t for v, t in zip(positions, tile))
        array = blocks * lanes  # bytes of each of the arrays

        def spread(at: Val) -> Val:
            packed = f.load(I32.wide(per_block), at) if per_block > 1 else f.load(I32, at)
            return f.shuffle(packed, packed, [i // 4 for i in range(lanes)]) if per_block > 1 else f.splat(packed, lanes)

        for kernel, s, own in self._each():
            planes = Planes(kernel, record, lanes)
            views = [QuadView(f, t, lanes, *tile) for _, t in kernel.targets]
            depth = QuadView(f, kernel.depth, lanes, *tile) if kernel.depth is not None else None
            fetched = [QuadView(f, t, lanes, *tile) for _, _, t in kernel.fetched]
            with f.range(0, blocks) as k:
                at = f.at(words_at, k * lanes)
                word = spread(at)
                x, y = (word & 63) + lane_x, (word.lshr(8) & 63) + lane_y
                self._unpack([spread(f.at(at, array * (1 + j))) for j in range(mask_words(self._count))], lanes)
                words = [f.load(I32, at, 4 * q) for q in range(per_block)]
                row, column = planes.relative(y, 1), planes.relative(x, 0)
                centers = x.to_float() + 0.5, y.to_float() + 0.5
                if own is not None:
                    row, column, centers = row + own[1], column + own[0], (centers[0] + own[0], centers[1] + own[1])
                planes.row(row)
                # The last block repeats its last quad: counters and atomics must not see it twice.
                before = f.shuffle(word, word, [max(i - 4, 0) for i in range(lanes)])
                first = f.lanes_const(vec, [-1 if i < 4 else 0 for i in range(lanes)]).ne(0) | word.ne(before)
                block = PixelSamples(
                    kernel=kernel,
                    planes=planes,
                    lane_map=LaneMap(lanes, "quad"),
                    x=column,
                    centers=centers,
                    pixels=(x, y),
                    colors=[v.move(words) for v in views],
                    depth=depth.move(words) if depth is not None else None,
                    fetched=[v.move(words) for v in fetched],
                    unique=first,
                    own=own,
                    number=s,
                )
                self._shade(block, self.covered, s)

    @property
    def _count(self) -> int:
        assert self.kernel.key.samples is not None
        return self.kernel.key.samples.count

    def _unpack(self, packed: Sequence[Val], lanes: int) -> None:
        """Turn the masks of quads, four bits a sample, into lane masks in `covered`."""
        f = self.kernel.f
        for s in range(self._count):
            bit = f.lanes_const(I32.wide(lanes), [_signed(1 << 4 * (s % PER_WORD) + i % 4) for i in range(lanes)])
            f.store(f.mask_bits((packed[s // PER_WORD] & bit).ne(0)), self.covered, 4 * s)


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


@record(frozen=False, kw_only=True)
class PixelSamples(SampledBlock):
    """A block whose program runs once for all samples of a pixel."""

    scratch: Val | None = None  # array of lane masks, one a sample: receives `words` without masked pixels
    passed: Val | None = None  # array of lane masks, one a sample: samples that passed the early tests

    def _samples(self) -> Iterator[Val]:
        f, count = self.kernel.f, self.pattern.count
        if count <= UNROLLED:
            for k in range(count):
                yield f.const(I32, k)
        else:
            with f.range(0, count) as s:
                yield s

    def _alive(self, sample: Val | int) -> Val:
        assert self.passed is not None
        return lanes_of(self.kernel.f, sample_word(self.kernel.f, self.passed, sample), self.planes.lanes)

    def _keep(self, words: Val | None, sample: Val, mask: Val) -> None:
        assert words is not None
        self.kernel.f.store(self.kernel.f.mask_bits(mask), words, sample << 2)

    def _any_sample(self, words: Val) -> Val:
        """The lanes where at least one sample of `words` is set."""
        f = self.kernel.f
        total = sample_word(f, words, 0)
        for k in range(1, self.pattern.count):
            total = total | sample_word(f, words, k)
        return lanes_of(f, total, self.planes.lanes)

    def _depth_at(self, sample: Val) -> Val:
        """Depth at the position of a sample, clamped."""
        f = self.kernel.f
        if self.pattern.is_centered:
            return self._depth(self._plane_depth())
        x, y = (f.load(F32, self.pattern.table(f, self.kernel.draw, axis), sample << 2) for axis in range(2))
        z, dx, dy = (self.planes.word(SetupLayout.Z + 4 * k) for k in range(3))
        return self._depth(self.planes.with_offset((z + dy * (self.planes.y + y)) + dx * (self.x + x)))

    def shade_pixels(self) -> None:
        """Run tests, shader, blending and stores for all samples."""
        kernel, f = self.kernel, self.kernel.f
        key, info = kernel.key, kernel.info
        assert self.words is not None
        assert self.passed is not None
        assert self.scratch is not None
        skip = f.label()
        if key.is_masked:
            there, _ = drawn(self.planes, self.x, self.pixels)
            for s in self._samples():
                self._keep(self.scratch, s, self.covered(s) & there)
            self.words = self.scratch
            self._skip_unless(self._any_sample(self.words), skip)
        self._covered = self._any_sample(self.words)
        kills = (info.kills or key.alpha is not None or key.to_coverage) and not info.tests_early
        late = tests_late(key, info, kills)
        test = DepthTest(f, key.depth, kernel.draw, self.planes.lanes) if key.depth is not None else None
        is_tested = test is not None and not late
        if test is not None and is_tested:
            for s in self._samples():
                block = self._plane_of(self.depth, kernel.depth, s)
                outcome = test.run(self._depth_at(s), block.load(), self.covered(s), self.planes.front)
                if test.key.writes and (test.key.stencil or not kills):
                    block.store(outcome.words)
                self._keep(self.passed, s, outcome.passed)
            self._skip_unless(self._any_sample(self.passed), skip)
        alive = self._alive if is_tested else self.covered
        mask = self._any_sample(self.passed) if is_tested else self._covered
        if info.tests_early:
            self._covered = mask
            for s in self._samples() if kernel.samples is not None else ():
                self._count(kernel.samples, alive(s))
            if info.has_late_coverage and is_tested:
                self.words = self.passed
        self._count(kernel.invocations, mask)
        out: Outputs | None = None
        if kernel.targets or kills or late or info.has_side_effects:
            out = kernel.hoisted.get(self.planes.lanes) or self._run_program(mask)
        ready = self._ready(out)
        common = self._common(out)
        for s in self._samples():
            mask = alive(s)
            if out is not None:
                mask = self._without_padding(self._surviving_samples(out, s, mask if common is None else mask & common))
            if test is not None and (late or (kills and test.key.writes)):
                mask = self._test_late(test, out, s, mask)
            if not info.tests_early:
                self._count(kernel.samples, mask)
            if out is not None:
                self._write_sample(out, ready, s, mask)
        f.jump(skip)
        f.place(skip)

    # -- its steps ----------------------------------------------------------------------------------------------------
    def _plane_of(self, block: Block | None, target: Target | None, sample: Val) -> Block:
        """A block in the memory plane of a sample."""
        assert block is not None
        assert target is not None
        assert target.sample_stride is not None
        step = sample.zext(I64) * target.sample_stride
        return replace(block, rows=[self.kernel.f.at(row, step) for row in block.rows])

    def _common(self, out: Outputs | None) -> Val | None:
        """The lanes that survive the program and the alpha test, the same for all samples; None: all lanes."""
        info, key = self.kernel.info, self.kernel.key
        if out is None or not (info.kills or key.alpha is not None):
            return None
        passed = self._alpha_test(out)
        return passed & out.alive if info.kills else passed

    def _surviving_samples(self, out: Outputs, sample: Val, mask: Val) -> Val:
        """The lanes of `mask` whose sample survives the program's sample mask and alpha to coverage."""
        info, key = self.kernel.info, self.kernel.key
        if info.sample_mask is not None and not key.ignores_mask:
            mask = mask & self._bit_of(out.get(info.sample_mask, 0).as_int(), sample)
        return mask & self._coverage_of_alpha(out, sample) if key.to_coverage else mask

    def _test_late(self, test: DepthTest, out: Outputs | None, sample: Val, mask: Val) -> Val:
        info, kernel = self.kernel.info, self.kernel
        z = self._depth_at(sample) if info.depth is None or out is None else self._depth(out.get(info.depth, 2))
        ref = out.get(info.stencil, 1).as_int() & 255 if info.stencil is not None and out is not None else None
        block = self._plane_of(self.depth, kernel.depth, sample)
        outcome = test.run(z, block.load(), mask, self.planes.front, ref)
        if test.key.writes:
            block.store(outcome.words)
        return outcome.passed

    def _ready(self, out: Outputs | None) -> dict[int, list[Val]]:
        """The new words of each target that do not depend on the old ones, and are the same for all samples."""
        kernel, f = self.kernel, self.kernel.f
        ready: dict[int, list[Val]] = {}
        for index, _ in kernel.targets if out is not None else ():
            target = kernel.key.targets[index]
            assert target is not None
            assert out is not None
            if not target.reads:
                ready[index] = write_target(f, target, self._colors(out, index, target), None)
        return ready

    def _is_full(self, sample: Val) -> Val | None:
        """True, a scalar, if the sample is stored in all lanes; None: not known."""
        lanes = self.planes.lanes
        if self.lane_map.kind != "run" or not self._keeps_covered:
            return None
        assert self.words is not None
        return sample_word(self.kernel.f, self.words, sample).eq((1 << lanes) - 1 if lanes < 32 else -1)

    def _write_sample(self, out: Outputs, ready: dict[int, list[Val]], sample: Val, mask: Val) -> None:
        kernel, f = self.kernel, self.kernel.f
        full = self._is_full(sample)
        for (index, plane), block in zip(kernel.targets, self.colors):
            target = kernel.key.targets[index]
            assert target is not None
            there = self._plane_of(block, plane, sample)
            if index in ready:
                there.store_masked(ready[index], mask, full)
                continue
            old = there.load()
            words = write_target(f, target, self._colors(out, index, target), old)
            there.store_over(words, old, mask, full)
