"""Mutated modules end in an error with a code or in a program, never in another exception, and in bounded time.

The campaign `modules` makes them.
"""

from __future__ import annotations

import struct
from collections import Counter

import pytest

import tgsi
from tests.campaigns.modules import attempt
from tests.unit.spirv.modules import module


def test_mutants_are_refused_with_a_code_or_read() -> None:
    outcomes = sum((attempt(seed) for seed in range(6)), Counter[str]())
    assert outcomes["read"] > 30
    assert outcomes["refused"] > 300


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "M001.*0 bytes"),
        (b"#version 450\nvoid main() {}", "M001"),
        (struct.pack("<5I", 0x07230203, 0x00020000, 0, 9, 0), "M001.*version 2.0"),
        (struct.pack("<6I", 0x07230203, 0x00010000, 0, 9, 0, 0x00050011), "M002.*word 5, OpCapability.*5 words, and 1 are left"),
        (struct.pack("<6I", 0x07230203, 0x00010000, 0, 9, 0, 0x00010009), "M003"),
        (struct.pack("<6I", 0x07230203, 0x00010000, 0, 9, 0, 0x0001FFFF), "M021.*65535 of an extension"),
        (struct.pack("<7I", 0x07230203, 0x00010000, 0, 9, 0, 0x00020011, 6), "M020.*Kernel"),
        (struct.pack("<5I", 0x07230203, 0x00010000, 0, 9, 0), "M007"),
    ],
)
def test_what_is_no_shader_is_told(data: bytes, message: str) -> None:
    with pytest.raises(tgsi.DiagnosticError, match=message):
        tgsi.read_spirv(data)


def test_an_atomic_operation_on_an_image_itself_is_refused() -> None:
    words = list(struct.unpack(f"<{len(module('images.comp')) // 4}I", module("images.comp")))
    pointer = next(at for at, word in enumerate(words) if word == 6 << 16 | 60)  # OpImageTexelPointer type result image coordinate sample
    image, texel = words[pointer + 3], words[pointer + 2]
    atomic = next(at for at, word in enumerate(words) if word == 7 << 16 | 234 and words[at + 3] == texel)  # OpAtomicIAdd
    words[atomic + 3] = image
    with pytest.raises(tgsi.DiagnosticError, match=r"M021.*atomic operations act on buffers, shared memory, images and counters"):
        tgsi.read_spirv(words)


@pytest.mark.parametrize("data", ["text", 3.5, None, [1.5]])
def test_what_is_no_module_is_a_type_error(data: object) -> None:
    with pytest.raises(TypeError):
        tgsi.read_spirv(data)  # type: ignore[arg-type]
