"""Samplers and views of a sub-context's stages.

The protocol does not say whether coordinates are normalized. It depends on the target of a unit's texture: samplers of rectangle textures
have unnormalized ones. Without rectangle textures each sampler has a single form, so generated code may bind it, and only the bound state
records the samplers of units. From the first view of a rectangle texture on, they are recorded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from backends.device.commands.bound_record import sampler_word
from backends.pipe.enums import ShaderType
from backends.pipe.limits import MAX_SAMPLERS
from backends.pipe.state import SamplerState
from tgsi.tools.vtest.protocol.numbers import STAGES

if TYPE_CHECKING:
    from backends.device.commands.reader import Reader
    from backends.gallium.context.context import Context

UNITS = "units"
"""Tag of the commands that bind samplers or views."""

_MOST_KNOWN = 4096


class Sampler:
    """Sampler state in two forms, for normalized and unnormalized coordinates, because the texture's target chooses between them."""

    def __init__(self, state: dict[str, Any], border: Sequence[int]) -> None:
        self._state = state
        self._border = border
        self._made: list[Any] = [None, None]

    def form(self, context: Context, rectangle: bool) -> Any:
        """Sampler object of the Context, for rectangle textures (unnormalized coordinates) or for other textures."""
        state = self._made[rectangle]
        if state is None:
            state = self._made[rectangle] = context.create_sampler_state(SamplerState(**self._state, normalized_coords=not rectangle))
            context.set_border_words(state, self._border)
        return state


class Units:
    """The samplers and views of all stages.

    Attributes:
        has_rectangles: a view of a rectangle texture was created.
    """

    def __init__(self, context: Context, reader: Reader) -> None:
        self._context, self._reader = context, reader
        self.has_rectangles = False
        self._known: dict[int, Sampler] = {}  # by number in the bound state, while there are no rectangle textures
        self._samplers: list[list[Sampler | None]] = [[None] * MAX_SAMPLERS for _ in STAGES]
        self._rectangles: list[list[bool]] = [[False] * MAX_SAMPLERS for _ in STAGES]

    def bind_samplers(self, stage: int, start: int, samplers: Sequence[Sampler | None]) -> None:
        """Bind samplers to the units of a stage from `start` on."""
        if self.has_rectangles:
            self._samplers[stage][start : start + len(samplers)] = samplers
        self._bind(stage, start, samplers)
        if not self.has_rectangles:
            words = self._context.state.record.words
            if len(self._known) > _MOST_KNOWN:
                self._known = {number: sampler for number, sampler in self._known.items() if number in set(words)}
                self._reader.forget(UNITS)
            self._known |= {words[sampler_word(stage, start + k)]: item for k, item in enumerate(samplers) if item is not None}

    def note_views(self, stage: int, start: int, rectangles: Sequence[bool]) -> None:
        """Record the units from `start` on that have views of rectangle textures."""
        known = self._rectangles[stage]
        if known[start : start + len(rectangles)] != rectangles:
            known[start : start + len(rectangles)] = rectangles
            self._bind(stage, start, self._samplers[stage][start : start + len(rectangles)])

    def note_rectangle(self) -> None:
        """Record that a view of a rectangle texture exists."""
        if not self.has_rectangles:
            words = self._context.state.record.words
            for stage, samplers in enumerate(self._samplers):
                samplers[:] = [self._known.get(words[sampler_word(stage, unit)]) for unit in range(MAX_SAMPLERS)]
            self._known.clear()
            self._reader.forget(UNITS)
            self.has_rectangles = True

    def _bind(self, stage: int, start: int, samplers: Sequence[Sampler | None]) -> None:
        rectangles = self._rectangles[stage][start:]
        found = [None if item is None else item.form(self._context, is_rectangle) for item, is_rectangle in zip(samplers, rectangles)]
        self._context.bind_sampler_states(ShaderType(stage), found, start=start)
