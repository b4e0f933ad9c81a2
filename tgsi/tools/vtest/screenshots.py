"""Pictures of a client's color targets, written when it reads a whole target, frees a target, or destroys a context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from backends.formats.arrays import unpack

if TYPE_CHECKING:
    from backends.gallium.context.context import Context
    from backends.gallium.resource.resource import Resource

MAX_PICTURES = 64


class Screenshots:
    """Writer of PNGs named CLIENT-PROCESS-NUMBER.png in a folder. Rows are in the order of memory."""

    def __init__(self, folder: Path, process: int) -> None:
        self.folder = folder
        self.process = process
        self._count = 0

    def shown(self, client: str, resource: Resource, box: Sequence[int]) -> None:
        """Write a picture if the box that was read is the whole of a color target."""
        if (box[3], box[4]) == (resource.width0, resource.height0) and box[3] * box[4] > 64:
            self._write(client, resource)

    def leaving(self, client: str, contexts: Iterable[Context | None], resource: Resource) -> None:
        """Write a picture of a resource that is about to be freed if it is a color target of one of the client's contexts."""
        for context in contexts:
            if context is not None and any(s is not None and s.texture is resource for s in context._cbufs):
                context._synchronize()
                self._write(client, resource)

    def ending(self, client: str, context: Context | None) -> None:
        """Write a picture of the first color target of a context that is about to be destroyed."""
        if context is not None and context._cbufs and context._cbufs[0] is not None:
            context._synchronize()
            self._write(client, context._cbufs[0].texture)

    def _write(self, client: str, resource: Resource) -> None:
        format = resource.plain_format
        if resource.is_buffer or format.is_depth_stencil or format.is_integer or self._count >= MAX_PICTURES:
            return
        blocks = resource.blocks(0)[0]
        colors = unpack(format, np.ascontiguousarray(blocks).reshape(-1)).reshape(*blocks.shape[:2], 4)
        pixels = (np.nan_to_num(np.clip(colors[..., :3], 0, 1)) * 255 + 0.5).astype(np.uint8)
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in client)
        Image.fromarray(pixels, "RGB").save(self.folder / f"{name}-{self.process}-{self._count:03}.png")
        self._count += 1
