"""Shading: one kernel a variant, that walks the list of blocks which coverage made. See `coverage` for the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from backends.llvm.builder import BOOL, F32, I32, I64, PTR, Function, Module, Type, Val, Var
from backends.llvm.emit.interpolation import Place
from backends.llvm.formats import unpack
from backends.llvm.lanes import LaneMap
from backends.llvm.sampling.key import SamplerKey, TextureKey
from backends.llvm.structs import Record
from backends.llvm.subgroups import subgroup_value
from backends.raster.blend import Colors, write_target
from backends.raster.coverage import quad_width, row_lanes, run_bytes
from backends.raster.depth import DepthTest, compare
from backends.raster.fragment import FragmentInfo, FragmentKey, Outputs
from backends.raster.planes import Hoisted, Kernel, Planes
from backends.raster.records import Draw, Mode, Scene, SetupLayout, Worker
from backends.raster.surfaces import Block, QuadView, RunView, Target


def build_shade(key: FragmentKey, info: FragmentInfo, module: Module) -> None:
    """shade(worker, draw, arena, list, size). The fragment shader is there once for runs, and once for packed quads if there are any."""
    f = Function(module, "shade", [PTR, PTR, PTR, PTR, I32])
    worker, draw, arena, list_, size = f.args
    w, d = Record(f, worker, Worker), Record(f, draw, Draw)
    s = Record(f, w.get("scene"), Scene)
    lanes, narrow = key.lanes, quad_width(key.lanes)
    targets = [(k, Target(s.get("color", k), s.get("color_stride", k), t.texel_bytes)) for k, t in enumerate(key.targets) if t is not None]
    fetched = [(k, t, Target(s.get("color", k), s.get("color_stride", k), t.block_bytes)) for k, t in key.fetched]
    depth = Target(s.get("depth"), s.get("depth_stride"), key.depth.format.block_bytes) if key.depth is not None else None
    samples, invocations = (f.var(I32, 0) if wanted else None for wanted in (key.count_samples, key.count_invocations))
    env = d.get("fragment_env")
    hoisted: dict[int, Hoisted] = {}
    if info.is_constant:
        once = Hoisted(f, info, env, lanes)
        hoisted = {n: once.at(n) for n in (lanes, narrow)}
    kernel = Kernel(f, key, info, d, env, targets, depth, fetched, samples, invocations, hoisted)
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
                _shade_run(kernel, Planes(kernel, at, lanes), (x, y), blocks, mask)
                cursor.set(here + run_bytes(lanes))
                quads()
                _shade_quads(kernel, Planes(kernel, at, narrow), (x, y), blocks, f.at(list_, here + 16))
                cursor.set(here + 16 + blocks * narrow)
    for counter, name in ((samples, "samples_passed"), (invocations, "fs_invocations")):
        if counter is not None:
            w.set(name, w.get(name) + counter.get().zext(I64))
    f.ret()


def _shade_run(kernel: Kernel, planes: Planes, corner: tuple[Val, Val], blocks: Val, bits: Val) -> None:
    f, lanes = kernel.f, planes.lanes
    lane_x, lane_y = (f.lanes_const(I32.wide(lanes), v) for v in row_lanes(lanes))
    covered = (bits.trunc(Type("i", lanes)) if lanes < 32 else bits).bits_as(BOOL.wide(lanes))
    first_x, y = lane_x + corner[0], lane_y + corner[1]
    planes.row(planes.relative(y, 1))
    x0, pixel_x, pixel_y = planes.relative(first_x, 0), first_x.to_float() + 0.5, y.to_float() + 0.5
    views = [RunView(f, t, lanes, *corner) for _, t in kernel.targets]
    depth = RunView(f, kernel.depth, lanes, *corner) if kernel.depth is not None else None
    fetched = [RunView(f, t, lanes, *corner) for _, _, t in kernel.fetched]
    with f.range(0, blocks) as k:
        step = k * (lanes // 2)
        across = f.splat(step.to_float(), lanes)  # whole numbers: exact
        block = _Block(
            kernel,
            planes,
            LaneMap(lanes, "run"),
            x0 + across,
            (pixel_x + across, pixel_y),
            (first_x + step, y),
            [v.move(k) for v in views],
            depth.move(k) if depth is not None else None,
            [v.move(k) for v in fetched],
            None,
        )
        block.shade(covered)


def _shade_quads(kernel: Kernel, planes: Planes, tile: tuple[Val, Val], blocks: Val, words_at: Val) -> None:
    f, lanes, per_block = kernel.f, planes.lanes, planes.lanes // 4
    vec = I32.wide(lanes)
    positions = ([i % 2 for i in range(lanes)], [i // 2 % 2 for i in range(lanes)])
    lane_x, lane_y = (f.lanes_const(vec, v) + t for v, t in zip(positions, tile))
    bit = f.lanes_const(vec, [1 << 16 + i % 4 for i in range(lanes)])
    views = [QuadView(f, t, lanes, *tile) for _, t in kernel.targets]
    depth = QuadView(f, kernel.depth, lanes, *tile) if kernel.depth is not None else None
    fetched = [QuadView(f, t, lanes, *tile) for _, _, t in kernel.fetched]
    with f.range(0, blocks) as k:
        at = f.at(words_at, k * lanes)
        packed = f.load(I32.wide(per_block), at) if per_block > 1 else f.load(I32, at)
        word = f.shuffle(packed, packed, [i // 4 for i in range(lanes)]) if per_block > 1 else f.splat(packed, lanes)
        x, y, covered = (word & 63) + lane_x, (word.lshr(8) & 63) + lane_y, (word & bit).ne(0)
        words = [f.load(I32, at, 4 * q) for q in range(per_block)]
        planes.row(planes.relative(y, 1))
        centers = (x.to_float() + 0.5, y.to_float() + 0.5)
        # The last block repeats its last quad: what counts pixels must not count it again.
        before = f.shuffle(word, word, [max(i - 4, 0) for i in range(lanes)])
        first = f.lanes_const(vec, [-1 if i < 4 else 0 for i in range(lanes)]).ne(0) | word.ne(before)
        block = _Block(
            kernel,
            planes,
            LaneMap(lanes, "quad"),
            planes.relative(x, 0),
            centers,
            (x, y),
            [v.move(words) for v in views],
            depth.move(words) if depth is not None else None,
            [v.move(words) for v in fetched],
            first,
        )
        block.shade(covered)


@dataclass(slots=True)
class _Block:
    """One block of pixels: the inputs of the fragment shader, the tests around it, and the stores."""

    kernel: Kernel
    planes: Planes
    lane_map: LaneMap
    x: Val  # distance from the anchor's column
    centers: tuple[Val, Val]
    pixels: tuple[Val, Val]
    colors: Sequence[Block]
    depth: Block | None
    fetched: Sequence[Block]
    unique: Val | None  # lanes that are no copies of others
    env: Val = field(init=False)  # the ShaderEnv of the draw
    _covered: Val | None = None
    _sample_mask: Val | None = None
    _stored: dict[int, list[Val]] = field(default_factory=dict)  # words of the color targets that the program reads
    _w: Val | None = None

    def __post_init__(self) -> None:
        self.env = self.kernel.env

    # -- what the shader asks for -----------------------------------------------------------------------------------
    def texture_key(self, unit: int) -> TextureKey | None:
        """What is bound to a sampler view unit."""
        textures = self.kernel.key.textures
        return textures[unit] if unit < len(textures) else None

    def sampler_key(self, unit: int) -> SamplerKey | None:
        """What is bound to a sampler unit."""
        samplers = self.kernel.key.samplers
        return samplers[unit] if unit < len(samplers) else None

    def input(self, register: int, channel: int) -> Val:
        """One channel of an input register; (0, 0, 0, 1) where there is no such input."""
        info = self.kernel.info
        for k, slot in enumerate(info.slots):
            if slot.register == register:
                return self._slot(k, channel)
        special = info.specials.get(register)
        return self._special(special, channel) if special is not None else self._default(channel)

    def system_value(self, register: int, channel: int) -> Val:
        """One channel of a system value."""
        f, lanes = self.kernel.f, self.planes.lanes
        name = self.kernel.info.system_values.get(register, "")
        if name.startswith("SUBGROUP_"):
            return subgroup_value(f, self.lane_map, name, channel)
        match name:
            case "FACE":
                return f.splat(f.select(self.planes.front, f.const(I32, -1), 0), lanes)
            case "PRIM_ID":
                return f.splat(f.load(I32, self.planes.record, SetupLayout.IDENT).lshr(1), lanes)
            case "POSITION":
                return self._special(name, channel)
            case "SAMPLEPOS" if channel < 2:
                return f.const(F32.wide(lanes), 0.5)
            case "SAMPLEMASK" if self._sample_mask is not None:
                return self._sample_mask.zext(I32)
            case "HELPER_INVOCATION":
                return self.helpers().sext(I32)
            case _:
                return f.const(I32.wide(lanes), 0)

    def interpolate(self, register: int, channel: int, place: Place) -> Val:
        """One channel of an input at a place of the pixel; what is the same all over it stays."""
        info = self.kernel.info
        slot = next((k for k, s in enumerate(info.slots) if s.register == register), None)
        if slot is None and info.specials.get(register) == "PCOORD":
            slot = info.point_slot
        if place is None or slot is None or channel not in self.planes.slots[slot] or self.planes.mode(slot) is Mode.FLAT:
            return self.input(register, channel)
        x, y = self.x + place[0], self.planes.y + place[1]
        value = self.planes.at(SetupLayout.SLOTS + 48 * slot + 4 * channel, 16, x, y)
        return value * (1.0 / self.planes.at(SetupLayout.W, 4, x, y)) if self.planes.mode(slot) is Mode.PERSPECTIVE else value

    def helpers(self) -> Val:
        """The lanes that compute for their neighbors only."""
        assert self._covered is not None
        return ~self._covered

    def sample_place(self, number: Val) -> Place:
        """The only sample of a pixel lies at its center."""
        return None

    def centroid_place(self) -> Place:
        """The same."""
        return None

    def framebuffer(self, target: int, channel: int) -> Val:
        """One channel of the color that is stored at the pixel; 0 where there is no such target."""
        for number, format, _ in self.kernel.fetched:
            if number == target:
                return unpack(self.kernel.f, format, self._stored[number])[channel]
        return self.kernel.f.const(F32.wide(self.planes.lanes), 0.0)

    def _default(self, channel: int) -> Val:
        return self.kernel.f.const(F32.wide(self.planes.lanes), 1.0 if channel == 3 else 0.0)

    def _value(self, plane: tuple[Val, Val | None]) -> Val:
        return plane[0] if plane[1] is None else plane[0] + plane[1] * self.x

    def _slot(self, slot: int, channel: int) -> Val:
        plane = self.planes.slots[slot].get(channel)
        if plane is None:
            return self._default(channel)
        value = self._value(plane)
        if self.planes.mode(slot) is not Mode.PERSPECTIVE:
            return value
        if self._w is None:
            self._w = 1.0 / self._value(self.planes.w)
        return value * self._w

    def _special(self, name: str, channel: int) -> Val:
        f, info, lanes = self.kernel.f, self.kernel.info, self.planes.lanes
        match name:
            case "POSITION" if channel == 0:
                return self.centers[0] - 0.5 if info.is_integer_center else self.centers[0]
            case "POSITION" if channel == 1:
                y = self.centers[1]
                if info.is_lower_left:
                    y = f.splat(self.kernel.draw.get("height").to_float(), lanes) - y
                return y - 0.5 if info.is_integer_center else y
            case "POSITION":
                return self._value(self.planes.z if channel == 2 else self.planes.w)
            case "FACE" if channel == 0:
                return f.splat(f.select(self.planes.front, f.const(F32, 1.0), -1.0), lanes)
            case "PRIM_ID" if channel == 0:
                return f.splat(f.load(I32, self.planes.record, SetupLayout.IDENT).lshr(1), lanes).as_float()
            case "PCOORD" if info.point_slot is not None and channel < 2:
                return self._slot(info.point_slot, channel)
            case _:
                return self._default(channel)

    # -- the stages around it ---------------------------------------------------------------------------------------
    def shade(self, mask: Val) -> None:
        """Tests, shader, blending and stores for the lanes of `mask`."""
        kernel, f = self.kernel, self.kernel.f
        key, info = kernel.key, kernel.info
        self._w = None
        skip = f.label()
        if key.stipple:
            mask = mask & self._stipple()
            self._skip_unless(mask, skip)
        self._covered = self._sample_mask = mask
        kills = (info.kills or key.alpha is not None) and not info.tests_early
        late = key.depth is not None and not info.tests_early and (info.depth is not None or info.stencil is not None)
        late = late or (kills and key.depth is not None and bool(key.depth.stencil))
        old = self.depth.load() if self.depth is not None else []
        test = DepthTest(f, key.depth, kernel.draw, self.planes.lanes) if key.depth is not None else None
        tested = mask
        if test is not None and self.depth is not None and not late:
            outcome = test.run(self._depth(self._value(self.planes.z)), old, mask, self.planes.front)
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
            out = kernel.hoisted.get(self.planes.lanes) or info.emit(f, self, mask)
            if info.kills:
                mask = mask & out.alive
            if info.sample_mask is not None:
                mask = mask & (out.get(info.sample_mask, 0).as_int() & 1).ne(0)
            mask = mask & self._alpha_test(out)
        if test is not None and self.depth is not None and (late or (kills and test.key.writes)):
            z = self._value(self.planes.z) if info.depth is None or out is None else out.get(info.depth, 2)
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

    def _skip_unless(self, mask: Val, skip: str) -> None:
        f = self.kernel.f
        go = f.label()
        f.branch(f.any(mask), go, skip)
        f.place(go, follows=True)

    def _depth(self, z: Val) -> Val:
        """Clamped to the viewport's range; a NaN becomes its low end."""
        f, d = self.kernel.f, self.kernel.draw
        return f.min(f.max(z, d.get("depth_min")), d.get("depth_max"))

    def _stipple(self) -> Val:
        f, (x, y) = self.kernel.f, self.pixels
        rows = f.gather(I32, self.kernel.draw.address("stipple"), (y & 31) << 2)
        return (rows.lshr((x & 31) ^ 31) & 1).ne(0)

    def _count(self, counter: Var | None, mask: Val) -> None:
        if counter is not None:
            f = self.kernel.f
            counted = mask & self.unique if self.unique is not None else mask
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
        return compare(f, key.alpha, alpha, f.splat(self.kernel.draw.get("alpha_ref"), lanes))

    def _write_colors(self, out: Outputs, mask: Val) -> None:
        kernel, f = self.kernel, self.kernel.f
        zero = [f.const(F32.wide(self.planes.lanes), 0.0)] * 4
        for (index, _), block in zip(kernel.targets, self.colors):
            target = kernel.key.targets[index]
            assert target is not None
            color = self._color(out, 0 if kernel.info.writes_all else index)
            second = (self._color(out, 1) if target.wants_second else None) or zero
            old = self._stored.get(index) or (block.load() if target.reads else None)
            words = write_target(f, target, Colors(color or zero, second, self._constant), old)
            if old is None:
                block.store_masked(words, mask)
            else:
                block.store([f.select(mask, new, o) for new, o in zip(words, old)])

    def _constant(self, channel: int) -> Val:
        return self.kernel.draw.get("blend_color", channel)
