"""Errors of recordings: each names the command, its place and the reason."""

from __future__ import annotations


class RecordingError(ValueError):
    """A recording that cannot be read or played. The message has the number of the command, its name, its byte offset and the reason."""


class WordError(ValueError):
    """Words that are not a valid value; `CommandReader` adds the place."""


class Unwritable(TypeError):
    """A value that has no words."""
