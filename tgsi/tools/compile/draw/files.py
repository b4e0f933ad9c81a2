"""Files of meshes and pictures: bounded, and no devices."""

from __future__ import annotations

from pathlib import Path

from tgsi.tools.compile.errors import UsageError
from tgsi.tools.parsing import reason

MAX_BYTES = 256 << 20


def read_file(path: str, title: str) -> bytes:
    """The bytes of a file. `title` begins messages. UsageError: it cannot be read, is not a plain file, or is too large."""
    try:
        place = Path(path)
        if place.exists() and not place.is_file():
            raise UsageError(f"{title}: {'a folder' if place.is_dir() else 'a device or pipe'}, not a file")
        with place.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{title}: {reason(error)}") from None
    except ValueError as error:  # the name contains NUL
        raise UsageError(f"{title}: {error}") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{title}: larger than {MAX_BYTES >> 20} MiB")
    return data
