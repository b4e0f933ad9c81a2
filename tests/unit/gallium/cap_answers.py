"""Answers of the shared screen, and words of buffers, for tests that reach the limits of capabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.unit.picture import screen
from tgsi import gallium as g

U32 = np.uint32


def f32(values: Any) -> Any:
    return np.array(values, np.float32)


def cap(name: str) -> int:
    return screen().get_param(name)


def compute_cap(name: str) -> Any:
    return screen().get_compute_param(name)


def first_word(ctx: g.Context, buffer: g.Resource, offset: int = 0) -> int:
    return int(words(ctx, buffer, 1, offset)[0])


def words(ctx: g.Context, buffer: g.Resource, count: int, offset: int = 0) -> Any:
    found = np.zeros(count, U32)
    ctx.buffer_read(buffer, found, offset=offset)
    return found
