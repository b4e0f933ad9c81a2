"""A block of pixels: the tests around the fragment program, and the stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backends.llvm.builder.function import BOOL, F32, I32, I64, Val, Var
from backends.raster.tile.blend import Colors, write_target
from backends.raster.tile.buffer_keys import TargetKey
from backends.raster.tile.depth import DepthTest, compare
from backends.raster.tile.fragment import FragmentInfo, FragmentKey, Outputs
from backends.raster.tile.inputs import PixelInputs
from backends.raster.tile.shader_memory import BlockMemory
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.raster.tile.pixel_queue import PixelQueue


def tests_late(key: FragmentKey, info: FragmentInfo, kills: bool) -> bool:
    """True if depth and stencil are tested after the program, and not before it."""
    if key.depth is None:
        return False
    writes = info.depth is not None or info.stencil is not None or info.has_side_effects
    return (writes and not info.tests_early) or (kills and bool(key.depth.stencil))


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
