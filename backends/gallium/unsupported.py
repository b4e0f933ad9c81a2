"""The error for features that Gallium names and this driver lacks."""

from __future__ import annotations

from typing import NoReturn

from tgsi.language.diagnostics import UnsupportedError


def refuse(feature: str, code: str = "B063") -> NoReturn:
    """Raise UnsupportedError with a message that names the feature."""
    raise UnsupportedError.at(code, f"{feature} is not supported")
