"""Inputs and system values of fragment programs on multisampled targets: locations, sample numbers and places."""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import BOOL, F32, I32, Function, Type, Val
from backends.llvm.translate.emit.interpolation import Place
from backends.raster.layouts import Mode, SetupLayout
from backends.raster.samples import Pattern
from backends.raster.tile.fragment import Outputs
from backends.raster.tile.pixel_block import PixelBlock
from tgsi.language.facts.enums import Location
from tgsi.language.record import record


def lanes_of(f: Function, bits: Val, lanes: int) -> Val:
    """The lane mask for a word with one bit a lane."""
    return (bits.trunc(Type("i", lanes)) if lanes < 32 else bits).bits_as(BOOL.wide(lanes))


def sample_word(f: Function, words: Val, sample: Val | int) -> Val:
    """Word number `sample` of an array of lane masks: one bit a lane."""
    return f.load(I32, words, 4 * sample if isinstance(sample, int) else sample << 2)


@record(frozen=False, kw_only=True)
class SampledBlock(PixelBlock):
    """A block of pixels that is shaded for all samples at once, or for a single sample.

    Attributes:
        words: address of an array with the lane mask of each sample: where it is covered.
        own: position of the single sample relative to the pixel's center, in pixels (scalars); `x` and the planes' row are those of that
            position. None: the block is shaded for all samples, at the center. number: number of the single sample, or None.
    """

    words: Val | None = None
    own: tuple[Val, Val] | None = None
    number: Val | None = None
    _other_w: Val | None = None  # w at the other place
    _other: tuple[Val, Val] | None = None  # distance from the anchor to the place of inputs that are declared for another than the block's

    @property
    def pattern(self) -> Pattern:
        """The samples of a pixel."""
        pattern = self.kernel.key.samples
        assert pattern is not None
        return pattern

    def covered(self, sample: Val | int) -> Val:
        """The lanes where a sample is covered."""
        assert self.words is not None
        return lanes_of(self.kernel.f, sample_word(self.kernel.f, self.words, sample), self.planes.lanes)

    # -- places -------------------------------------------------------------------------------------------------------
    def sample_place(self, number: Val) -> Place:
        """The position of a sample relative to the center of its pixel; missing samples are at the center."""
        f, pattern = self.kernel.f, self.pattern
        there = number.ult(pattern.count)
        offsets = f.select(there, number, 0) << 2
        x, y = (f.gather(F32, pattern.table(f, self.kernel.draw, axis), offsets, there) for axis in range(2))
        return x, y

    def centroid_place(self) -> Place:
        """The center if all samples are covered, otherwise the first covered sample; in a block for a single sample, that sample."""
        f, lanes, places = self.kernel.f, self.planes.lanes, self.pattern.places(self.kernel.draw)
        if self.own is not None:
            return f.splat(self.own[0], lanes), f.splat(self.own[1], lanes)
        covered = [self.covered(k) for k in range(len(places))]
        every = covered[0]
        for mask in covered[1:]:
            every = every & mask
        place = []
        for axis in range(2):
            value = f.const(F32.wide(lanes), 0.0)
            for mask, its_place in reversed(list(zip(covered, places))):
                value = f.select(mask, its_place[axis], value)
            place.append(f.select(every, 0.0, value))
        return place[0], place[1]

    def _from_center(self, place: tuple[Val, Val] | None) -> tuple[Val, Val]:
        """The distance from the anchor to a position in each pixel (None: the center), along x and y; all sums are exact."""
        x, y = self.x, self.planes.y
        if self.own is not None:
            x, y = x - self.own[0], y - self.own[1]
        return (x, y) if place is None else (x + place[0], y + place[1])

    # -- inputs -------------------------------------------------------------------------------------------------------
    def interpolate(self, register: int, channel: int, place: Place) -> Val:
        """One channel of an input at a place of the pixel; inputs that do not vary over the pixel keep their value."""
        info = self.kernel.info
        slot = next((k for k, s in enumerate(info.slots) if s.register == register), None)
        if slot is None and info.specials.get(register) == "PCOORD":
            slot = info.point_slot
        if slot is None or channel not in self.planes.slots[slot] or self.planes.mode(slot) is Mode.FLAT:
            return self.input(register, channel)
        x, y = self._from_center(place)
        value = self._plane(slot, channel, x, y)
        if self.planes.mode(slot) is Mode.PERSPECTIVE:
            return value * (1.0 / self.planes.at(SetupLayout.W, 4, x, y))
        return self._point_coordinate(value, channel) if slot == info.point_slot else value

    def _plane(self, slot: int, channel: int, x: Val, y: Val) -> Val:
        return self.planes.at(SetupLayout.SLOTS + 48 * slot + 4 * channel, 16, x, y)

    def _is_elsewhere(self, slot: int) -> bool:
        """True if the input is declared for another position than the block's."""
        slots = self.kernel.info.slots
        location = slots[slot].location if slot < len(slots) else Location.CENTER
        if self.own is None:
            return location is Location.CENTROID
        return location is Location.CENTER and slot < len(slots) and not self.kernel.key.at_samples

    def _slot(self, slot: int, channel: int) -> Val:
        mode = self.planes.mode(slot)
        if not self._is_elsewhere(slot) or mode is Mode.FLAT or channel not in self.planes.slots[slot]:
            return PixelBlock._slot(self, slot, channel)
        if self._other is None:
            self._other = self._from_center(self.centroid_place() if self.own is None else None)
        x, y = self._other
        value = self._plane(slot, channel, x, y)
        if mode is not Mode.PERSPECTIVE:
            return value
        if self._other_w is None:
            self._other_w = 1.0 / self.planes.at(SetupLayout.W, 4, x, y)
        return value * self._other_w

    # -- masks and numbers of samples ---------------------------------------------------------------------------------
    def _sample_bit(self, written: Val) -> Val:
        """The lanes whose sample is in the sample mask that the program wrote."""
        return self._bit_of(written, self.number) if self.number is not None else PixelBlock._sample_bit(self, written)

    def _bit_of(self, written: Val, sample: Val) -> Val:
        return (written.lshr(self.kernel.f.splat(sample, self.planes.lanes)) & 1).ne(0)

    def _alpha_test(self, out: Outputs) -> Val:
        """The lanes that pass the alpha test and, in a block for one sample, keep that sample by alpha to coverage."""
        passed = PixelBlock._alpha_test(self, out)
        return passed & self._coverage_of_alpha(out, self.number) if self.number is not None else passed

    def _coverage_of_alpha(self, out: Outputs, sample: Val) -> Val:
        """The lanes whose alpha covers a sample (alpha to coverage).

        The first n samples are covered, where n is alpha times the number of samples, rounded."""
        f, lanes = self.kernel.f, self.planes.lanes
        color = self._color(out, 0) if self.kernel.key.to_coverage else None
        if color is None:
            return f.const(BOOL.wide(lanes), -1)
        return color[3] > f.splat((sample.to_float() + 0.5) * (1.0 / self.pattern.count), lanes)

    def sample_number(self) -> Val:
        """The number of the shaded sample; 0 in a block for all samples."""
        return self.zeros() if self.number is None else self.kernel.f.splat(self.number, self.planes.lanes)

    def sample_position(self, channel: int) -> Val:
        """The place of the sample in the pixel, 0 to 1; the middle in a block for all samples."""
        if self.own is None or channel >= 2:
            return PixelBlock.sample_position(self, channel)
        return self.kernel.f.splat(self.own[channel] + 0.5, self.planes.lanes)

    def sample_mask(self) -> Val:
        """The covered samples as bits; in a block for one sample, that sample's bit; without multisample rules, the lowest bit alone."""
        if self.pattern.is_centered:
            return self.kernel.f.const(I32.wide(self.planes.lanes), 1)
        if self.number is not None and self._sample_mask is not None:
            return self._sample_mask.zext(I32) << self.kernel.f.splat(self.number, self.planes.lanes)
        return self._mask_word([self.covered(k) for k in range(self.pattern.count)])

    def _mask_word(self, covered: Sequence[Val]) -> Val:
        """A word for each lane with bit k set if sample k is covered."""
        total = covered[0].zext(I32)
        for k, mask in enumerate(covered[1:], 1):
            total = total | (mask.zext(I32) << k)
        return total
