"""Inputs of a fragment program for one block of pixels: varyings, system values, and interpolation at other positions within the pixel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import ClassVar

from backends.abi.keys import SamplerKey, TextureKey
from backends.llvm.builder.function import F32, I32, Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.kernels.system_values import OF_SUBGROUP, Channel
from backends.llvm.library.math import canonical
from backends.llvm.library.packing import unpack
from backends.llvm.translate.emit.interpolation import Place
from backends.raster.layouts import Mode, SetupLayout
from backends.raster.tile.fragment import Outputs
from backends.raster.tile.planes import Kernel, Planes
from backends.raster.tile.surfaces import Block
from tgsi.language.record import record

_FEW_CHANNELS = 8  # up to this many perspective channels are interpolated in one branch, before the program starts


@record(frozen=False, kw_only=True)
class PixelInputs:
    """The part of a block of pixels that computes the inputs of its fragment program (the translator's Interface)."""

    kernel: Kernel
    planes: Planes
    lane_map: LaneMap
    x: Val  # distance from the anchor's column
    centers: tuple[Val, Val]
    pixels: tuple[Val, Val]
    colors: Sequence[Block]
    depth: Block | None
    fetched: Sequence[Block]
    unique: Val | None  # lanes of quads that are not padding; None: all lanes
    env: Val = field(init=False)  # the ShaderEnv of the draw
    in_range: Val | None = None  # scalar, true if the plane's depth needs no clamps; None: unknown
    ready_w: Val | None = None  # 1 / w, if already computed
    _covered: Val | None = None  # lanes with fragments, without helpers
    _coverage: Val | None = None  # of smooth primitives, 0 to 1
    _sample_mask: Val | None = None
    _stored: dict[int, list[Val]] = field(default_factory=dict)  # words of the color targets that the program reads
    _w: Val | None = None
    _varyings: dict[tuple[int, int], Val] = field(default_factory=dict)  # values of perspective slots, by slot and channel

    def __post_init__(self) -> None:
        self.env = self.kernel.env

    def texture_key(self, unit: int) -> TextureKey | None:
        """The static part of the sampler view of a unit; None if none is bound."""
        textures = self.kernel.key.textures
        return textures[unit] if unit < len(textures) else None

    def sampler_key(self, unit: int) -> SamplerKey | None:
        """The static part of the sampler of a unit; None if none is bound."""
        samplers = self.kernel.key.samplers
        return samplers[unit] if unit < len(samplers) else None

    def input(self, register: int, channel: int) -> Val:
        """One channel of an input register; (0, 0, 0, 1) if there is no such input."""
        info = self.kernel.info
        for k, slot in enumerate(info.slots):
            if slot.register == register:
                return self._slot(k, channel)
        special = info.specials.get(register)
        return self._special(special, channel) if special is not None else self._default(channel)

    def exposed_outputs(self) -> int:
        """OUT registers whose bits are used, one bit each."""
        return self.kernel.info.exposed_outputs(self.kernel.key.targets)

    def is_interpolated(self, register: int) -> bool:
        """True for varyings that are not flat, and for the position."""
        info = self.kernel.info
        special = info.specials.get(register)
        if special is not None:
            return special in ("POSITION", "PCOORD")
        return any(slot.register == register and self.planes.mode(k) is not Mode.FLAT for k, slot in enumerate(info.slots))

    @property
    def f(self) -> Function:
        """The function under construction."""
        return self.kernel.f

    def system_value(self, register: int, channel: int) -> Val:
        """One channel of a system value; 0 for system values of other stages."""
        fetch = self.SYSTEM_VALUES.get(self.kernel.info.system_values.get(register, ""))
        return self.zeros() if fetch is None else fetch(self, channel)

    def zeros(self) -> Val:
        """The integer 0 in all lanes."""
        return self.kernel.f.const(I32.wide(self.planes.lanes), 0)

    def face(self) -> Val:
        """All bits set for front faces, 0 for back faces."""
        f = self.kernel.f
        return f.select(self._is_front(), f.const(I32.wide(self.planes.lanes), -1), 0)

    def _is_front(self) -> Val:
        return (self.planes.integer(SetupLayout.IDENT) & 1).ne(0)

    def primitive(self) -> Val:
        """The number of the primitive."""
        return self.planes.integer(SetupLayout.IDENT).lshr(1)

    def sample_number(self) -> Val:
        """The number of the shaded sample: 0."""
        return self.zeros()

    def sample_position(self, channel: int) -> Val:
        """The place of the sample in the pixel, 0 to 1: the middle."""
        return self.kernel.f.const(F32.wide(self.planes.lanes), 0.5) if channel < 2 else self.zeros()

    def _sample_position(self, channel: int) -> Val:
        """The place of the sample in the pixel, 0 to 1, along window x and y."""
        place, upward = self.sample_position(channel), self.upward() if channel == 1 else None
        return place if upward is None else (place - 0.5) * upward + 0.5

    def upward(self) -> Val | None:
        """1 if y grows with the rows, otherwise -1; None if the program counts rows independently of the viewport."""
        if not self.kernel.info.follows_viewport:
            return None
        return self.kernel.f.splat(self.kernel.draw.get("fragments.upward"), self.planes.lanes)

    def sample_mask(self) -> Val:
        """The covered samples, as bits."""
        return self._sample_mask.zext(I32) if self._sample_mask is not None else self.zeros()

    SYSTEM_VALUES: ClassVar[Mapping[str, Channel]] = {
        **OF_SUBGROUP,
        "FACE": lambda self, channel: self.face(),
        "PRIM_ID": lambda self, channel: self.primitive(),
        "POSITION": lambda self, channel: self._position(channel),
        "SAMPLEID": lambda self, channel: self.sample_number(),
        "SAMPLEPOS": lambda self, channel: self._sample_position(channel),
        "SAMPLEMASK": lambda self, channel: self.sample_mask(),
        "HELPER_INVOCATION": lambda self, channel: self.helpers().sext(I32),
    }

    def interpolate(self, register: int, channel: int, place: Place) -> Val:
        """A channel of an input at a position within the pixel; inputs that do not vary over the pixel keep their value."""
        info = self.kernel.info
        slot = next((k for k, s in enumerate(info.slots) if s.register == register), None)
        if slot is None and info.specials.get(register) == "PCOORD":
            slot = info.point_slot
        if place is None or slot is None or channel not in self.planes.slots[slot] or self.planes.mode(slot) is Mode.FLAT:
            return self.input(register, channel)
        x, y = self.x + place[0], self.planes.y + place[1]
        value = self.planes.at(SetupLayout.SLOTS + 48 * slot + 4 * channel, 16, x, y)
        if self.planes.mode(slot) is Mode.PERSPECTIVE:
            return value * (1.0 / self.planes.at(SetupLayout.W, 4, x, y))
        return self._point_coordinate(value, channel) if slot == info.point_slot else value

    def _point_coordinate(self, value: Val, channel: int) -> Val:
        """A channel of the point coordinate, in the direction of the program's y."""
        upward = self.upward() if channel == 1 else None
        return value if upward is None else self.kernel.f.select(upward < 0.0, value, 1.0 - value)

    def helpers(self) -> Val:
        """The helper lanes, which compute only for derivatives of their neighbors."""
        assert self._covered is not None
        return ~self._covered

    def sample_place(self, number: Val) -> Place:
        """None: the only sample of a pixel is at its center."""
        return None

    def centroid_place(self) -> Place:
        """None: the centroid of a pixel with one sample is its center."""
        return None

    def framebuffer(self, target: int, channel: int) -> Val:
        """A channel of the stored color of the pixel; 0 if the target is missing."""
        for number, format, _ in self.kernel.fetched:
            if number == target:
                return unpack(self.kernel.f, format, self._stored[number])[channel]
        return self.kernel.f.const(F32.wide(self.planes.lanes), 0.0)

    def _position(self, channel: int) -> Val:
        """The position as a system value, whose exact bits may matter."""
        value = self._special("POSITION", channel)
        return canonical(self.kernel.f, value) if channel >= 2 else value

    def _default(self, channel: int) -> Val:
        return self.kernel.f.const(F32.wide(self.planes.lanes), 1.0 if channel == 3 else 0.0)

    def _value(self, plane: tuple[Val, Val | None]) -> Val:
        return plane[0] if plane[1] is None else plane[0] + plane[1] * self.x

    def _plane_depth(self) -> Val:
        """Depth of the primitive, not clamped."""
        return self.planes.with_offset(self._value(self.planes.z))

    def _depth(self, z: Val) -> Val:
        """Depth clamped to the viewport's range; a NaN becomes its low end."""
        low, high = self.planes.depth_range()
        return self.kernel.f.min(self.kernel.f.max(z, low), high)

    def _depth_of_plane(self) -> Val:
        """Depth of the primitive, clamped."""
        f, z = self.kernel.f, self._plane_depth()
        if self.in_range is None:
            return self._depth(z)
        depth = f.var(z.type, z)
        with f.if_(~self.in_range, unlikely=True):
            depth.set(self._depth(z))
        return depth.get()

    def _run_program(self, mask: Val) -> Outputs:
        """Interpolate the inputs and run the fragment program."""
        self._interpolate()
        return self.kernel.info.emit(self.kernel.f, self, mask)

    def _interpolate(self) -> None:
        """Begin perspective interpolation.

        Where w is 1 for the whole primitive, divisions are skipped, and products as well if channels are few.
        """
        f, planes = self.kernel.f, self.planes
        self._w = None
        self._varyings.clear()
        slots = [(k, c) for k, channels in enumerate(planes.slots) if planes.mode(k) is Mode.PERSPECTIVE for c in channels]
        if planes.has_unit_w is None or not slots:
            return
        kind = F32.wide(planes.lanes)
        if len(slots) > _FEW_CHANNELS and self.ready_w is not None:
            self._w = self.ready_w
            return
        if len(slots) > _FEW_CHANNELS:
            shared = f.var(kind, 1.0)
            with f.if_(~planes.has_unit_w):
                shared.set(1.0 / self._value(planes.w))
            self._w = shared.get()
            return
        values = {at: f.var(kind, self._value(planes.slots[at[0]][at[1]])) for at in slots}
        with f.if_(~planes.has_unit_w):
            w = 1.0 / self._value(planes.w) if self.ready_w is None else self.ready_w
            for var in values.values():
                var.set(var.get() * w)
        self._varyings = {at: var.get() for at, var in values.items()}
        for value in self._varyings.values():
            value.is_usual = True

    def _slot(self, slot: int, channel: int) -> Val:
        if (slot, channel) in self._varyings:
            return self._varyings[slot, channel]
        plane = self.planes.slots[slot].get(channel)
        if plane is None:
            return self._default(channel)
        value = self._value(plane)
        if self.planes.mode(slot) is Mode.FLAT:
            return value
        if self.planes.mode(slot) is Mode.PERSPECTIVE:
            if self._w is None:
                self._w = 1.0 / self._value(self.planes.w)
            value = value * self._w
        value.is_usual = True
        return value

    def _window_y(self) -> Val:
        """The distance of pixel centers from the origin's edge: that of row 0 or of the last row."""
        f, y, upward = self.kernel.f, self.centers[1], self.upward()
        is_lower = self.kernel.info.is_lower_left
        if upward is None and not is_lower:
            return y
        turned = f.splat(self.kernel.draw.get("fragments.height").to_float(), self.planes.lanes) - y
        if upward is None:
            return turned
        return f.select(upward < 0.0, turned, y) if is_lower else f.select(upward < 0.0, y, turned)

    def _special(self, name: str, channel: int) -> Val:
        f, info, lanes = self.kernel.f, self.kernel.info, self.planes.lanes
        match name:
            case "POSITION" if channel == 0:
                return self.centers[0] - 0.5 if info.is_integer_center else self.centers[0]
            case "POSITION" if channel == 1:
                y = self._window_y()
                return y - 0.5 if info.is_integer_center else y
            case "POSITION":
                return self._plane_depth() if channel == 2 else self._value(self.planes.w)
            case "FACE" if channel == 0:
                return f.select(self._is_front(), f.const(F32.wide(lanes), 1.0), -1.0)
            case "PRIM_ID" if channel == 0:
                return self.primitive().as_float()
            case "PCOORD" if info.point_slot is not None and channel < 2:
                return self._point_coordinate(self._slot(info.point_slot, channel), channel)
            case _:
                return self._default(channel)
