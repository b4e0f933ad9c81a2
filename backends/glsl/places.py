"""Places in GLSL from which values are read and to which they are written, and errors about registers without one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from backends.glsl.expressions import Expr, joined, literal, swizzled
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.record import record
from tgsi.language.source import Span


@record
class Place:
    """A variable or built-in.

    `channels`: channels of the register that it holds, in order; with `is_scalar`, one holds all. `elements`: names by channel, for a
    place that is not a vector. Missing channels read `missing`.
    """

    name: str
    type: str
    channels: tuple[int, ...] = (0, 1, 2, 3)
    is_scalar: bool = False
    elements: tuple[str, ...] = ()
    missing: tuple[int, int, int, int] = (0, 0, 0, 0)

    def read(self, channels: Sequence[int]) -> Expr:
        """The values of channels: a scalar where they are one and the same."""
        if self.is_scalar:
            return Expr(self.name, self.type)
        if not self.elements and all(c in self.channels for c in channels):
            return swizzled(Expr(self.name, self.type, len(self.channels)), [self.channels.index(c) for c in channels])
        return joined([self._channel(c) for c in channels])

    def _channel(self, channel: int) -> Expr:
        if channel not in self.channels:
            return literal((self.missing[channel],), self.type)
        if self.elements:
            return Expr(self.elements[channel], self.type)
        return swizzled(Expr(self.name, self.type, len(self.channels)), (self.channels.index(channel),))

    def target(self, channels: Sequence[int]) -> str:
        """The left side of an assignment to channels."""
        places = [self.channels.index(c) for c in channels]
        if len(self.channels) == 1 or places == list(range(len(self.channels))):
            return self.name
        return f"{self.name}.{''.join('xyzw'[c] for c in places)}"


CODE = "B080"


def refuse(what: str, span: Span | None, hint: str = "") -> NoReturn:
    """End with the error about something that GLSL cannot say."""
    raise UnsupportedError.at(CODE, f"GLSL cannot say this: {what}", span, hint=hint)
