"""Properties of traces that `--shrink` keeps: a shell command's, a Python function's, or one of ours."""

from __future__ import annotations

import hashlib
import importlib
import re
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.device.calls.errors import RecordingError
from backends.formats import Format
from backends.formats.arrays import unpack
from backends.gallium.tracing.content import content_digest
from backends.gallium.tracing.steps import WORK, Step, write_steps
from tgsi.language.record import record
from tgsi.tools.parsing import reason
from tgsi.tools.replay.played import PlayedTrace, Target

if TYPE_CHECKING:
    from tgsi.gallium import Screen

_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?|nan"
_PIXEL = re.compile(
    rf"pixel\s+(?P<x>\d+)\s*,\s*(?P<y>\d+)(?:\s+of\s+(?P<handle>\d+))?\s+is\s+(?P<no>not\s+)?(?P<values>(?:{_NUMBER})(?:\s*,\s*(?:{_NUMBER})){{0,3}})"
)
_DIGEST = re.compile(
    r"digest(?:\s+of\s+(?P<handle>\d+))?\s+(?:(?P<verb>is|differs\s+from)\s+(?P<sha>[0-9a-fA-F]{4,64})|differs\s+with\s+(?P<option>lanes|threads)\s+(?P<number>\d+))"
)
_RAISES = re.compile(r"raises(?:\s+(?P<text>.*\S))?", re.DOTALL)
_OURS = re.compile(r"(pixel|digest|raises)\b")
_FUNCTION = re.compile(r"(?P<place>\S+\.py|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*)")

_IMPORTERS = (__file__, importlib.__file__, runpy.__file__, "<frozen ")
"""Files of the functions that load a property."""

Screens = Callable[..., "Screen"]


@record(eq=False)
class Property:
    """A property. holds: True for a trace that has it. plays: `holds` plays the trace in this process."""

    holds: Callable[[Sequence[Step]], bool]
    plays: bool


def read_property(text: str, screen: Screen, screens: Screens, work: Path) -> Property:
    """The property of a text. screens: makes a screen with other options. work: folder for the traces that a command gets.

    ValueError: the text begins like one of ours and is not one, or the function is missing or cannot be loaded.
    """
    text = text.strip()
    if match := _PIXEL.fullmatch(text):
        return Property(_pixel(screen, match), True)
    if match := _DIGEST.fullmatch(text):
        return Property(_digest(screen, screens, match), True)
    if match := _RAISES.fullmatch(text):
        return Property(_Raises(screen, match["text"]).holds, True)
    if match := _FUNCTION.fullmatch(text):
        return Property(_of_function(screen, text, _function(match["place"], match["name"])), True)
    if _OURS.match(text):
        raise ValueError(f"--shrink: {text!r} is not a property; tgsi-replay --help shows their forms")
    return Property(lambda steps: _command(text, steps, work), False)


def _command(text: str, steps: Sequence[Step], work: Path) -> bool:
    line = text if re.search(r"\$\{?1\b", text) else f'{text} "$1"'
    with tempfile.TemporaryDirectory(dir=work) as folder:  # several commands may run at a time
        path = Path(folder) / "frame.trace"
        path.write_bytes(write_steps(steps))
        done = subprocess.run(
            ["/bin/sh", "-c", line, "sh", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    return done.returncode == 0


def _function(place: str, name: str) -> Callable[[NDArray[Any]], Any]:
    """The function of a file, or of a module that is found from the current folder. ValueError if there is none."""
    try:
        if place.endswith(".py"):
            function = runpy.run_path(place).get(name)
        else:
            if str(Path.cwd()) not in sys.path:
                sys.path.insert(0, str(Path.cwd()))
            function = getattr(importlib.import_module(place), name, None)
    except Exception as error:
        line = _line_of(error)
        why = reason(error) if isinstance(error, OSError) and not line else f"{type(error).__name__}: {error}{line}"
        raise ValueError(f"--shrink: {place} cannot be loaded: {why}") from error
    if not callable(function):
        raise ValueError(f"--shrink: {place} has no function {name}")
    return function  # type: ignore[no-any-return]


def _of_function(screen: Screen, text: str, function: Callable[[NDArray[Any]], Any]) -> Callable[[Sequence[Step]], bool]:
    def holds(steps: Sequence[Step]) -> bool:
        try:
            target, _ = played_target(screen, steps, None)
        except RecordingError:
            return False
        if target is None:
            return False
        pixels = target.resource.pixels(level=target.level)
        try:
            return bool(function(pixels))
        except Exception as error:
            raise ValueError(f"--shrink: {text} raised {type(error).__name__}: {error}{_line_of(error)}") from error

    return holds


def _line_of(error: BaseException) -> str:
    """The place of an exception in the user's code: `` (check.py, line 7)``; empty for one of our own or of Python's importer."""
    trace = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_IMPORTERS)]
    return f" ({trace[-1].filename}, line {trace[-1].lineno})" if trace else ""


def played_target(screen: Screen, steps: Sequence[Step], handle: int | None) -> tuple[Target | None, bytes]:
    """The first target after the last work, or the resource of a handle, and the digest of its bytes. RecordingError."""
    last = max((k for k, step in enumerate(steps) if step.name in WORK), default=-1)
    with PlayedTrace(screen, steps) as trace:
        trace.play(last + 1)
        if handle is None:
            target = next(iter(trace.targets()), None)
            return target, hashlib.sha256(target.data().tobytes()).digest() if target is not None else b""
        resource = trace.resources().get(handle)
        if resource is None:
            return None, b""
        target = None if resource.is_buffer else Target("", handle, resource, 0, (0, resource.levels[0].layers))
        return target, content_digest(resource)


def _pixel(screen: Screen, match: re.Match[str]) -> Callable[[Sequence[Step]], bool]:
    x, y, handle = int(match["x"]), int(match["y"]), match["handle"] and int(match["handle"])
    wanted = [item.strip() for item in match["values"].split(",")]

    def holds(steps: Sequence[Step]) -> bool:
        try:
            target, _ = played_target(screen, steps, handle or None)
            if target is None or x >= target.size[0] or y >= target.size[1]:
                return False
            return is_pixel(target.format, target.data()[0, y, x].tobytes(), wanted) != bool(match["no"])
        except RecordingError:
            return False

    return holds


def is_pixel(format: Format, data: bytes, wanted: Sequence[str]) -> bool:
    """True if the channels of a pixel, red first, are those of the texts: integers as stored, others as values."""
    values = np.asarray(unpack(format, np.frombuffer(data, np.uint8))).reshape(-1)
    for k, text in enumerate(wanted):
        channel = format.channel_of(k)
        value, number = float(values[k]), float(text)
        steps = 0
        if channel is not None and channel.type.name in ("UNORM", "SNORM"):
            steps = (1 << channel.size - (channel.type.name == "SNORM")) - 1
        if steps and re.fullmatch(r"-?\d+", text):
            if round(value * steps) != int(text):
                return False
        elif steps:
            if abs(value - number) > 0.5 / steps + 1e-6:
                return False
        elif not (np.float32(value) == np.float32(number) or (np.isnan(value) and np.isnan(number))):
            return False
    return True


def _digest(screen: Screen, screens: Screens, match: re.Match[str]) -> Callable[[Sequence[Step]], bool]:
    handle = int(match["handle"]) if match["handle"] else None
    other = screens(**{match["option"]: int(match["number"])}) if match["option"] else None

    def holds(steps: Sequence[Step]) -> bool:
        try:
            _, digest = played_target(screen, steps, handle)
            if other is not None:
                return bool(digest) and digest != played_target(other, steps, handle)[1]
            is_same = digest.hex().startswith(match["sha"].lower())
            return bool(digest) and is_same == (match["verb"] == "is")
        except RecordingError:
            return False

    return holds


class _Raises:
    """The player refuses a call."""

    def __init__(self, screen: Screen, text: str | None) -> None:
        self._screen, self._text = screen, text

    def holds(self, steps: Sequence[Step]) -> bool:
        """True if a call is refused for the given reason. Without one, the reason of the first refusal applies to all later traces."""
        reason = ""
        with PlayedTrace(self._screen, steps) as trace:
            try:
                trace.play(len(steps))
            except RecordingError as error:
                reason = re.sub(r"^command \d+ ", "", str(error))
        if not reason:
            return False
        if self._text is None:
            self._text = reason
        return self._text in reason
