"""The requested files about clients."""

from __future__ import annotations

from pathlib import Path

from tgsi.language.record import record

LAST = -1
"""Value of `Wanted.pictures`: only the last picture."""


@record(kw_only=True)
class Wanted:
    """Files about clients; None: not written.

    Attributes:
        folder: of pictures.
        pictures: 0 for none, N for every Nth picture of a client, LAST for its last one.
        film: an animated GIF of a client's frames.
        stream: the messages of a client, which ``--replay`` plays.
        shaders: folder of the texts of shaders.
        trace: the calls of a GL context, which ``tgsi-replay`` makes again.
    """

    folder: Path = Path("screenshots")
    pictures: int = 0
    film: Path | None = None
    stream: Path | None = None
    shaders: Path | None = None
    trace: Path | None = None

    @property
    def has_pictures(self) -> bool:
        """True if pictures of the client's targets are needed."""
        return self.pictures != 0 or self.film is not None

    @property
    def is_any(self) -> bool:
        """True if anything is written."""
        return self.has_pictures or bool(self.files) or self.shaders is not None

    @property
    def files(self) -> tuple[Path, ...]:
        """Files of which each active client writes one, or one for each of its GL contexts."""
        return tuple(path for path in (self.film, self.stream, self.trace) if path is not None)
