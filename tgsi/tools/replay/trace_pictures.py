"""Pictures of targets during the playback of a trace."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tgsi.tools.replay.images import display, display_stencil, save
from tgsi.tools.replay.scene import Layout

if TYPE_CHECKING:
    from backends.gallium.tracing.watched_targets import ShownTarget

MOST_FILES = 1000


class TracePictures:
    """Writer of PNGs named NAME.flush-0001.handle-4.png. Targets are skipped if unchanged since their last picture.

    Attributes:
        written: the files.
        left_out: number of pictures beyond MOST_FILES, which are not written.
    """

    def __init__(self, directory: Path, name: str) -> None:
        self._directory, self._name = directory, name
        self._seen: dict[tuple[int, int], bytes] = {}
        self.written: list[Path] = []
        self.left_out = 0

    def show(self, target: ShownTarget) -> None:
        """Write a picture of a target. SceneError if a file cannot be written."""
        first, count = target.layers
        info, format = target.resource.levels[target.level], target.resource.plain_format
        pixels = target.resource.pixels(level=target.level)
        data = np.ascontiguousarray(pixels).reshape(info.layers, -1)[first : first + count].tobytes()
        key, digest = (target.handle, target.level), hashlib.sha256(data).digest()
        if self._seen.get(key) == digest:
            return
        self._seen[key] = digest
        layout = Layout(format, info.width, info.height, count)
        level = f".level-{target.level}" if target.level else ""
        stem = f"{self._name}.{target.moment}.handle-{target.handle}{level}"
        self._write(stem, layout, data)

    def _write(self, stem: str, layout: Layout, data: bytes) -> None:
        kinds = {"": display}
        if layout.format.has_stencil:
            kinds = {"": display, ".stencil": display_stencil} if layout.format.has_depth else {".stencil": display_stencil}
        for suffix, kind in kinds.items():
            if len(self.written) >= MOST_FILES:
                self.left_out += 1
                continue
            path = self._directory / f"{stem}{suffix}.png"
            save(path, kind(layout, data))
            self.written.append(path)
