"""Pictures of what a client draws: when it reads a whole target, lets go of one, or ends."""

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
    """Writes PNGs into a folder: CLIENT-PROCESS-NUMBER.png, rows as they lie in memory."""

    def __init__(self, folder: Path, process: int) -> None:
        self.folder = folder
        self.process = process
        self._count = 0

    def shown(self, client: str, resource: Resource, box: Sequence[int]) -> None:
        """A box was read: write a picture if it is the whole of a color target."""
        if (box[3], box[4]) == (resource.width0, resource.height0) and box[3] * box[4] > 64:
            self._write(client, resource)

    def leaving(self, client: str, contexts: Iterable[Context | None], resource: Resource) -> None:
        """A resource is about to be freed: write a picture if one of the client's contexts has it as a color target."""
        for context in contexts:
            if context is not None and any(s is not None and s.texture is resource for s in context.cbufs):
                context.synchronize()
                self._write(client, resource)

    def ending(self, client: str, context: Context | None) -> None:
        """A context is about to be destroyed: write a picture of its first color target."""
        if context is not None and context.cbufs and context.cbufs[0] is not None:
            context.synchronize()
            self._write(client, context.cbufs[0].texture)

    def _write(self, client: str, resource: Resource) -> None:
        format = resource.format
        if resource.is_buffer or format.is_depth_stencil or format.is_integer or self._count >= MAX_PICTURES:
            return
        blocks = resource.blocks(0)[0]
        colors = unpack(format, np.ascontiguousarray(blocks).reshape(-1)).reshape(*blocks.shape[:2], 4)
        pixels = (np.nan_to_num(np.clip(colors[..., :3], 0, 1)) * 255 + 0.5).astype(np.uint8)
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in client)
        Image.fromarray(pixels, "RGB").save(self.folder / f"{name}-{self.process}-{self._count:03}.png")
        self._count += 1
