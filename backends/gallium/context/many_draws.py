"""draw_many: the draws of a structured array in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.bound_record import STOPS
from backends.device.commands.known_objects import call_of
from backends.device.commands.many_draws import ManyDraws, converted
from backends.gallium.context.core import ContextCore
from backends.pipe.enums import ShaderType
from backends.pipe.field_list import takes_fields
from backends.pipe.state import DrawInfo

if TYPE_CHECKING:
    from backends.pipe.keywords import DrawInfoFields


class ManyDrawing(ContextCore):
    """Many draws at once: draw_many."""

    @takes_fields(DrawInfo)
    def draw_many(self, records: NDArray[Any], **keywords: Unpack[DrawInfoFields]) -> None:
        """Draw every row of a structured array, in order, as `set_constant_buffer` and `draw_vbo` would one by one. (an extension)

        Rows of a known combination of bound objects are read by generated code: a million draws take one call.

        Args:
            records: one dimension. Optional fields: count, start, instance_count, start_instance, index_bias, drawid (integers);
                vertex_constants and fragment_constants (float32, int32 or uint32, of any shape), which are bound to slot 0 of their stage
                before the draw and stay bound after the last one.
            keywords: fields of DrawInfo that all rows share, e.g. ``mode="TRIANGLES", count=3``; a field of `records` overrides them.

        Raises:
            TypeError, ValueError: a field is unknown or wrong, or `draw_vbo` raises; the rows before the wrong one are drawn.
        """
        name = "draw_many"
        if not isinstance(records, np.ndarray):
            raise TypeError(f"{name}: records: expected a structured array, not {type(records).__name__}")
        rows = converted(records, name)
        shared: dict[str, Any] = dict(keywords)
        info = self._checked_draw(shared)
        if info.indexed:
            raise ValueError(f"{name}: indexed: give index_size instead")
        many, state = ManyDraws(rows, call_of(info)), self.state
        while many.drawn < len(rows):
            number = many.drawn
            self.order.prepare()
            if not state.record.hindrances & STOPS:
                self.device.draw_many(state, many)
            if many.drawn == number:
                numbers, constants = many.row(number)
                for stage, data in constants.items():
                    self.set_constant_buffer(ShaderType(stage), data)
                self.draw_vbo(**{**shared, **numbers})
                many.drawn = number + 1
