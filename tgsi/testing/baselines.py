"""Stored pictures: NAME.png for people, NAME.json with the digest of its pixels, and NAME.npy where a PNG cannot keep the numbers."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from backends.system import write_whole
from tgsi.language.record import record
from tgsi.testing.pictures import Picture, read

_NAME = re.compile(r"[A-Za-z0-9_+=@-][A-Za-z0-9_.+=@ -]*(/[A-Za-z0-9_+=@-][A-Za-z0-9_.+=@ -]*)*")
_FORMAT = 1
_LONGEST = 150


@record(kw_only=True)
class Baseline:
    """The place of a stored picture: a folder, and a name, which may have folders of its own."""

    folder: Path
    name: str

    @property
    def picture(self) -> Path:
        """The PNG."""
        return self.folder / f"{self.name}.png"

    @property
    def facts(self) -> Path:
        """The digest, with the test that uses it and the version that drew it."""
        return self.folder / f"{self.name}.json"

    def load(self) -> dict[str, Any] | None:
        """The facts; None if nothing is stored. ValueError: the file was not written by this plugin."""
        try:
            facts = json.loads(self.facts.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            facts = None
        if not isinstance(facts, dict) or facts.get("tgsi-picture") != _FORMAT or not isinstance(facts.get("digest"), str):
            raise ValueError(f"{self.facts} does not describe a stored picture; --tgsi-update=failed rewrites it")
        return facts

    def read(self, digest: str) -> Picture:
        """The picture. ValueError: it is missing, cannot be read, or its pixels are not those of the digest."""
        try:
            picture = read(self.picture)
        except (OSError, ValueError) as error:
            raise ValueError(f"{self.picture} cannot be read ({error}); --tgsi-update=failed stores it again") from None
        if picture.digest != digest:
            raise ValueError(f"{self.picture} was changed by hand: its pixels are not those of the digest in {self.facts.name}")
        return picture

    def store(self, picture: Picture, test: str) -> None:
        """Store a picture. Files are replaced as wholes, so that no other process sees half of one. OSError."""
        from tgsi import __version__

        self.picture.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.picture, picture.png())
        exact = self.picture.with_suffix(".npy")
        if picture.is_png:
            exact.unlink(missing_ok=True)
        else:
            file = io.BytesIO()
            np.save(file, picture.array, allow_pickle=False)
            write_whole(exact, file.getvalue())
        array = picture.array
        facts = {"tgsi-picture": _FORMAT, "digest": picture.digest, "shape": array.shape, "type": array.dtype.name, "test": test}
        text = json.dumps({**facts, "tgsi": __version__}, indent=1)
        write_whole(self.facts, f"{text}\n".encode())


def checked_name(name: Any) -> str:
    """The name of a picture, if it is one. TypeError, ValueError."""
    if not isinstance(name, str):
        raise TypeError(f"assert_image: name: expected a text, not {type(name).__name__}")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        allowed = f"letters, digits and _ . + = @ -, with / between folders, up to {_LONGEST} characters"
        raise ValueError(f"assert_image: name: {name[:60]!r}: expected {allowed}")
    return name


def stored_names(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and test of every stored picture of a folder, by name. Other files are ignored."""
    for file in sorted(folder.rglob("*.json")):
        name = file.relative_to(folder).as_posix().removesuffix(".json")
        try:
            facts = Baseline(folder=folder, name=name).load()
        except (OSError, ValueError):
            continue
        if facts is not None:
            yield name, str(facts.get("test", ""))
