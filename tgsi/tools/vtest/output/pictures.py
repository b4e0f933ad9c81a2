"""Pictures of a client: frames shown in windows, targets that it reads back whole, and targets that remain at its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from backends.formats.arrays import unpack
from tgsi.tools.vtest.output.film import Film
from tgsi.tools.vtest.output.log import LOG
from tgsi.tools.vtest.output.parts import part
from tgsi.tools.vtest.output.wanted import LAST, Wanted
from tgsi.tools.vtest.protocol.numbers import SHOWN

if TYPE_CHECKING:
    from backends.gallium.context.context import Context
    from backends.gallium.resource.resource import Resource
    from tgsi.tools.vtest.protocol.holdings import Holding

MOST_FILES = 1000
_FEWEST_PIXELS = 64


class Pictures:
    """Writer of PNGs, named CLIENT-PROCESS-NUMBER.png, or CLIENT-PROCESS.png for the last one, and of a film.

    Rows go from the top down. Windows are stored this way; other targets, in OpenGL's order, are flipped.
    """

    def __init__(self, wanted: Wanted, process: int | str) -> None:
        self._wanted, self._process = wanted, process
        self._film = Film() if wanted.film is not None else None
        self._seen = self._written = 0
        self._last: tuple[str, Image.Image] | None = None
        self._has_frame = False

    def shown(self, client: str, holding: Holding, box: Sequence[int]) -> None:
        """Take a picture if the client read a whole color target."""
        resource = holding.resource
        if (box[3], box[4]) == (resource.width0, resource.height0) and box[3] * box[4] > _FEWEST_PIXELS:
            self._take(client, resource, is_frame=bool(holding.bind & SHOWN))

    def leaving(self, client: str, contexts: Iterable[Context | None], holding: Holding) -> None:
        """Take a picture of a resource before it is freed, if it is a color target of one of the client's contexts."""
        for context in contexts:
            if context is not None and any(s is not None and s.living_texture is holding.resource for s in context.targets.cbufs):
                context.order.synchronize()
                self._take(client, holding.resource, is_window=bool(holding.bind & SHOWN))

    def ending(self, client: str, context: Context | None, holdings: Iterable[Holding]) -> None:
        """Take a picture of a context's first color target before the context is destroyed, if the client still has the target."""
        if context is not None and context.targets.cbufs and context.targets.cbufs[0] is not None:
            resource = context.targets.cbufs[0].living_texture
            for holding in holdings:
                if resource is not None and holding.is_made and holding.resource is resource:
                    context.order.synchronize()
                    self._take(client, resource, is_window=bool(holding.bind & SHOWN))

    def close(self, client: str) -> None:
        """Write the last picture and the film."""
        if self._last is not None:
            name, picture = self._last
            self._save(picture, f"{name}-{self._process}.png")
        if self._film is not None and self._wanted.film is not None:
            self._film.write(part(self._wanted.film, self._process))

    def _take(self, client: str, resource: Resource, *, is_frame: bool = False, is_window: bool = False) -> None:
        if resource.is_buffer or resource.plain_format.is_depth_stencil or resource.plain_format.is_integer:
            return
        now = Film.now()
        wanted, self._seen = self._wanted.pictures, self._seen + 1
        is_for_film = is_frame and self._film is not None and self._film.wants(now)
        is_last = wanted == LAST and (is_frame or not self._has_frame)
        is_next = wanted > 0 and (self._seen - 1) % wanted == 0
        if not (is_for_film or is_last or is_next):
            return
        self._has_frame |= is_frame
        picture = _picture(resource, is_flipped=not (is_frame or is_window))
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in client)
        if is_for_film and self._film is not None:
            self._film.add(picture, now)
        if is_last and (is_frame or picture.getbbox() is not None):  # pixels that were never drawn are black
            self._last = name, picture
        if is_next:
            if self._written < MOST_FILES:
                self._save(picture, f"{name}-{self._process}-{self._written:03}.png")
            elif self._written == MOST_FILES:
                LOG.warning(f"{client}: no more than {MOST_FILES} pictures are written; --screenshot N takes every Nth")
            self._written += 1

    def _save(self, picture: Image.Image, name: str) -> None:
        path = self._wanted.folder / name
        picture.save(path)
        LOG.debug(f"{path} is written")


def _picture(resource: Resource, *, is_flipped: bool) -> Image.Image:
    """The first layer of the first level of a color target."""
    blocks = resource.blocks(0)[0]
    colors = unpack(resource.plain_format, np.ascontiguousarray(blocks).reshape(-1)).reshape(*blocks.shape[:2], 4)
    pixels = (np.nan_to_num(np.clip(colors[..., :3], 0, 1)) * 255 + 0.5).astype(np.uint8)
    return Image.fromarray(np.ascontiguousarray(pixels[::-1] if is_flipped else pixels), "RGB")
