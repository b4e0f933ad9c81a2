"""Textures, images, buffers and counters that commands make."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.shader_test.probes import DTYPES, LacksError
from tests.shader_test.textures import Texture, make, parameter
from tests.shader_test.values import number
from tgsi import gallium as g


class Resources:
    """A context with textures by unit, images, the units of samplers by name, buffers and counters by binding."""

    def __init__(self, screen: g.Screen) -> None:
        self.screen, self.ctx = screen, screen.context_create()
        self.textures: dict[int, Texture] = {}
        self.images: dict[int, str | None] = {}
        self.units: dict[str, int] = {}
        self.buffers: dict[int, Any] = {}
        self.counters: dict[int, Any] = {}
        self.streams: dict[int, Any] = {}
        self.unit = 0

    def _texture(self, line: str, words: list[str]) -> None:
        made = make(self.screen, self.ctx, line)
        if made is None:
            raise LacksError(" ".join(words[:2]))
        self.textures[made[0]] = made[1]
        self.unit = made[0]

    def _texparameter(self, line: str, words: list[str]) -> None:
        if not parameter(self.textures[self.unit], words[2], words[3:]):
            raise LacksError(f"texparameter {words[2]}")

    def _image_texture(self, line: str, words: list[str]) -> None:
        self.images[int(words[2])] = words[3] if len(words) > 3 else None

    def _ssbo(self, line: str, words: list[str]) -> None:
        number_, rest = int(words[1]), words[2:]
        if rest[0] != "subdata":
            self.buffers[number_] = self.screen.buffer_from(np.zeros(int(rest[0]), np.uint8))
            return
        kind = {"int64": "int64_t", "uint64": "uint64_t"}.get(rest[1], rest[1])
        data = np.array([number(word, kind) for word in rest[3:]], DTYPES[kind])
        self.ctx.buffer_subdata(self.buffers[number_], data, offset=int(rest[2]))

    def _xfb_buffer(self, line: str, words: list[str]) -> None:
        self.streams[int(words[3])] = self.screen.buffer_from(np.zeros(int(words[4]), np.uint8))

    def _atomic_counters(self, line: str, words: list[str]) -> None:
        self.counters[0] = self.screen.buffer_from(np.zeros(int(words[2]), np.uint32))

    def _atomic_counter(self, line: str, words: list[str]) -> None:
        if words[2] == "buffer":
            self.counters[int(words[3])] = self.screen.buffer_from(np.zeros(int(words[4]), np.uint32))
        else:
            self.ctx.buffer_subdata(self.counters[int(words[2])], np.array([int(words[4], 0)], np.uint32), offset=4 * int(words[3]))
