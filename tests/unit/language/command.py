"""Type of the fixture `run`, which calls tgsi-compile: arguments to exit code, output and error output."""

from __future__ import annotations

from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
