"""Versions of GLSL that programs are written in."""

from __future__ import annotations

from tgsi.language.record import record

VERSIONS = ("430", "440", "450", "460", "310 es", "320 es")
DEFAULT = "450"


@record
class Version:
    """A version: its number, and whether it is one of OpenGL ES."""

    number: int
    es: bool

    def __str__(self) -> str:
        return f"{self.number} es" if self.es else f"{self.number}"

    @property
    def is_old_es(self) -> bool:
        """True for OpenGL ES before 3.2, which has samples by extensions."""
        return self.es and self.number < 320

    @property
    def mixes_integers(self) -> bool:
        """True if `mix` selects integers, too."""
        return self.number >= (310 if self.es else 450)


def find_version(text: str) -> Version:
    """The version of a text in the form of `#version`, such as "450" or "320 es".

    Raises:
        ValueError: it is not in `VERSIONS`.
    """
    words = str(text).split()
    if words[1:] == ["core"]:
        words = words[:1]
    if " ".join(words) not in VERSIONS:
        raise ValueError(f"GLSL {text!r} is not one of {', '.join(VERSIONS)}")
    return Version(int(words[0]), len(words) > 1)
