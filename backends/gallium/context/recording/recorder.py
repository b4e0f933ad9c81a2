"""The recorder of a context: bundles share its handles and its player."""

from __future__ import annotations

from typing import Any

from backends.gallium.context.core import ContextCore
from backends.gallium.context.recording.bundle import Bundle
from backends.gallium.context.recording.decoder import Call
from backends.gallium.context.recording.handles import Handles
from backends.gallium.context.recording.player import Player, call_context


class Recorder:
    """Makes and replays the bundles of one context.

    Attributes:
        context: the context.
        handles: of the objects that bundles use.
    """

    def __init__(self, context: ContextCore) -> None:
        self.context = context
        self._ended: list[int] = []
        self.handles = Handles(self._ended.append)
        self._player = Player(context)
        self._observed: Player | None = None  # while calls are recorded of a context that was not observed before

    def learn(self, handle: int, thing: Any) -> None:
        """Note a new handle."""
        self._player.learn(handle, thing)

    def record(self) -> Bundle:
        """A bundle that records."""
        return Bundle(self)

    def forget_ended(self) -> None:
        """Forget objects that are gone, with the commands that name them."""
        while self._ended:
            self._player.forget(self._ended.pop())

    def replay(self, bundle: Bundle, times: int) -> None:
        """Make the calls of a bundle."""
        if self._ended:
            self.forget_ended()
        words, objects = bundle.content(self)
        if self.context.is_observed and self._observed is None:
            self._observed = Player(self.context)
        player = self._observed if self.context.is_observed and self._observed is not None else self._player
        for _ in range(times):
            player.play(words, objects, self._perform, _forget_nothing)

    def _perform(self, call: Call) -> None:
        call_context(self.context, call)


def _forget_nothing(handle: int) -> None:
    """Bundles keep their objects."""
