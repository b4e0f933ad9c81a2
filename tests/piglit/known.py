"""Cases that the reference passes and we do not, with the reason."""

from __future__ import annotations

KNOWN: dict[str, str] = {}
