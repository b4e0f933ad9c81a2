"""Sampler objects: filters and wrap modes, and their binding to the units of stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from backends.abi.keys import SamplerKey
from backends.abi.records import SamplerRecord
from backends.device.commands.bound_record import sampler_word
from backends.device.commands.known_objects import Kind
from backends.device.memory import BoundSampler
from backends.gallium.context.core import ContextCore
from backends.gallium.context.handles import StateObject, check_object
from backends.pipe.checks import integer, make, sequence
from backends.pipe.enums import ShaderType, lookup
from backends.pipe.field_list import takes_fields
from backends.pipe.limits import MAX_SAMPLERS
from backends.pipe.state import (
    SamplerState,
)

if TYPE_CHECKING:
    from backends.pipe.keywords import SamplerStateFields

MOST_KNOWN = 1 << 10


class SamplerStates(ContextCore):
    """Sampler objects: create_sampler_state, bind_sampler_states."""

    @takes_fields(SamplerState)
    def create_sampler_state(
        self, state: SamplerState | None = None, /, **keywords: Unpack[SamplerStateFields]
    ) -> StateObject[SamplerState]:
        """Create a sampler object from the fields of SamplerState, e.g. ``create_sampler_state(mag_img_filter="LINEAR")``.

        (context.rst, "CSO State")
        """
        name = "create_sampler_state"
        sampler = make(SamplerState, state, keywords, name)
        border = keywords.get("border_color", sampler.border_color)
        if all(isinstance(item, int) for item in border):
            # Floats lose integers above 2**24, and views of integer formats need them exactly.
            r, g, b, a = (integer(item, f"{name}: border_color", -(1 << 31)) for item in border)
            sampler = replace(sampler, border_color=(r, g, b, a))
        return self._create_object("sampler", sampler)

    def bind_sampler_states(
        self, stage: ShaderType | int | str, samplers: Sequence[StateObject[SamplerState] | None], *, start: int = 0
    ) -> None:
        """Bind sampler objects to the units of a stage from `start` on; None leaves a unit without one. (context.rst, "CSO State")"""
        name = "bind_sampler_states"
        kind = lookup(ShaderType, stage, f"{name}: stage")
        first = integer(start, f"{name}: start", 0, MAX_SAMPLERS)
        sequence(samplers, f"{name}: samplers")
        if len(samplers) + first > MAX_SAMPLERS:
            raise ValueError(f"{name}: samplers: unit {len(samplers) + first - 1} does not exist; there are {MAX_SAMPLERS}")
        for index, handle in enumerate(samplers):
            if handle is not None:
                check_object(handle, "sampler", self._owner, f"{name}: samplers[{index}]")
        self.state.stage[kind].put_samplers(first, [None if handle is None else self._bound(handle) for handle in samplers])
        self._learn_stage(stage, kind)
        for unit, handle in enumerate(samplers, first):
            if handle is not None:
                self.state.known.learn(handle, Kind.SAMPLER, self.state.record.words[sampler_word(kind, unit)])

    def set_border_words(self, handle: StateObject[SamplerState], words: Sequence[int]) -> None:
        """Set a sampler object's border color to the four 32-bit words of pipe_color_union, before the object is bound. (an extension)

        For clients that send words, and cannot know at creation if the object's views will hold floats or integers.
        """
        check_object(handle, "sampler", self._owner, "set_border_words")
        known = self._bound(handle)
        record = SamplerRecord.from_buffer_copy(known.record)
        handle.bound = BoundSampler(known.key, record)
        self.state.known.forget(handle)
        for channel, word in enumerate(words):
            record.border_color[channel] = record.border_integers[channel] = integer(word, f"set_border_words: words[{channel}]")

    def _bound(self, handle: StateObject[SamplerState]) -> BoundSampler:
        if handle.bound is None:
            if len(self._sampler_templates) >= MOST_KNOWN:
                self._sampler_templates.clear()
            handle.bound = self._sampler_templates.get(handle.state)
            if handle.bound is None:
                handle.bound = self._sampler_templates[handle.state] = bound_sampler(handle.state)
        sampler: BoundSampler = handle.bound
        return sampler


def bound_sampler(state: SamplerState) -> BoundSampler:
    """The two halves of a sampler state: the key, which changes code, and the record that kernels read."""
    return BoundSampler(SamplerKey.of(state), SamplerRecord.of(state))
