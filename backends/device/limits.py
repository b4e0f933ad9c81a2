"""Carved out of backends.raster.records."""

from __future__ import annotations

TILE = 64  # pixels
MAX_VIEWS = 16  # viewports, each with its scissor
MAX_WINDOWS = 8  # window rectangles
