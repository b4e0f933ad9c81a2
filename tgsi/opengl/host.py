"""The part of a context that its objects use: the Gallium screen and context, caches of state objects, changes of storage."""

from __future__ import annotations

import itertools
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

from tgsi import native
from tgsi.gallium import Context as PipeContext
from tgsi.gallium import Screen
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.registry.table import enum_name

MAX_MESSAGES = 64

_numbers = itertools.count(1)


class Watcher(Protocol):
    """Watches the commands of a context (`tgsi.opengl.watching.watch`)."""

    has_history: bool
    picture: Any

    def begin(self, gl: Any, name: str, values: tuple[Any, ...]) -> None:
        """Note a command before it is executed."""
        ...

    def error(self, gl: Any, code: int, name: str, text: str) -> None:
        """Note an error of a command."""
        ...

    def end(self, gl: Any) -> None:
        """Note the end of the context."""
        ...


class Host(ABC):
    """The part of a context that its objects use.

    Attributes:
        samplers, state_objects: cached Gallium objects by their parameters.
        watch: the watcher, if the screen keeps a history or validates; then every command runs in Python.
        bound: current bindings of the Gallium context, and other notes of commands, by name.
    """

    def __init__(self, screen: Screen, *, is_debug: bool) -> None:
        self.screen = screen
        self.pipe: PipeContext = screen.context_create()
        self.number = next(_numbers)
        self.samplers: dict[tuple[Any, ...], Any] = {}
        self.state_objects: dict[Any, Any] = {}
        self.bound: dict[Any, Any] = {}
        self.programs_linked = 0
        self.enabled: set[int] = set()
        self.is_debug = is_debug
        self.errors: list[int] = []
        self.watch: Watcher | None = None
        is_plain = type(self.pipe) is PipeContext and not screen.validates
        self.native = native.State(self.pipe) if is_plain and native.is_possible() else None
        self.debug_callback: Callable[..., None] | None = None
        self.debug_keep: Any = None
        self.debug_groups: list[str] = []
        self.debug_log: list[tuple[int, int, int, int, str]] = []

    @property
    @abstractmethod
    def generation_of_storage(self) -> int:
        """Counter of storage changes of buffers, textures and renderbuffers in the share group."""

    @abstractmethod
    def note_storage(self) -> None:
        """Note that an object got new storage, so that bindings in every context are stale."""

    def can_create(self, format: str, target: str, bind: str, samples: int = 0) -> bool:
        """True if textures of a format support a use."""
        key = ("format", format, target, bind, samples)
        if key not in self.state_objects:
            self.state_objects[key] = self.screen.is_format_supported(format, target=target, sample_count=samples, bind=bind)
        return bool(self.state_objects[key])

    def report(self, code: int, call: str, text: str) -> None:
        """Record an error and report its text to the debug log."""
        if code not in self.errors:
            self.errors.append(code)
        if self.native is not None:
            self.native.note_error(True)
        if self.watch is not None:
            self.watch.error(self, code, call, text)
        words = f"{call}: {text}"
        if os.environ.get("TGSI_OPENGL_DEBUG"):
            print(f"{enum_name(code)} in {words}", file=sys.stderr)
        self.message(GL.DEBUG_SOURCE_API, GL.DEBUG_TYPE_ERROR, code, GL.DEBUG_SEVERITY_HIGH, words)

    def message(self, source: int, kind: int, number: int, severity: int, text: str) -> None:
        """Send a message of KHR_debug to the callback, otherwise to the log if it is enabled."""
        if GL.DEBUG_OUTPUT not in self.enabled and not self.is_debug:
            return
        if self.debug_callback is not None:
            self.debug_callback(source, kind, number, severity, text)
        elif len(self.debug_log) < MAX_MESSAGES:
            self.debug_log.append((source, kind, number, severity, text))
