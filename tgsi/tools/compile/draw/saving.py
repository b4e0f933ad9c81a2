"""Pictures to files: whole or not at all."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from backends.system import write_whole
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.parsing import reason


def save(picture: NDArray[Any], name: str) -> None:
    """Write a picture: as PNG to stdout for ``-``, otherwise to a file that is replaced in one step. UsageError: this is not possible."""
    data = encoded(picture, name)
    if name == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        write_whole(path.resolve(), data)
    except OSError as error:
        raise UsageError(f"--draw {name}: {reason(error)}") from None


def check_name(name: str) -> str:
    """Pillow's format for the ending of a name. UsageError: the ending is not that of a picture, or the name is a folder."""
    from PIL import Image

    if name == "-":
        return "PNG"
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"--draw {name}: a folder; name a file, as {path / 'out.png'}")
    kind = Image.registered_extensions().get(path.suffix.lower())
    if kind is None or kind not in Image.SAVE:
        given = f"the ending {path.suffix!r} is not a picture that can be written" if path.suffix else "the name has no ending"
        raise UsageError(f"--draw {name}: {given}; use .png")
    return kind


def encoded(picture: NDArray[Any], name: str) -> bytes:
    """The bytes of a picture in the format given by a file name's ending."""
    from PIL import Image

    kind = check_name(name)
    into = io.BytesIO()
    try:
        Image.fromarray(picture).save(into, kind)
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"--draw {name}: {kind}: {error}") from None
    return into.getvalue()
