"""Writes recordings as pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tgsi.tools.inspect.collect import Collector, Pixel
from tgsi.tools.inspect.page import page
from tgsi.tools.inspect.sources import Recording

if TYPE_CHECKING:
    from tgsi.gallium import Screen


def write_page(screen: Screen, recording: Recording, output: Path, pixels: Sequence[Pixel] = ()) -> list[str]:
    """Write the page of a recording. Returns the reasons why playback ended early. OSError."""
    data = Collector(screen, recording.steps, pixels).run()
    stopped = [note for note in data["notes"] if note.startswith("The trace could not")]
    if recording.end:
        stopped.append(f"The trace is read up to an error: {recording.end}")
        data["notes"].append(stopped[-1])
    if recording.others:
        data["notes"].append(f"The stream has {recording.others} more contexts that draw; --context N chooses one.")
    output.write_text(page(recording.title, data), encoding="utf-8")
    return stopped
