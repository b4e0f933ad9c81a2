"""Mutated modules end in an error with a code or in a program, never in another exception, and in bounded time.

The campaign `modules` makes them.
"""

from __future__ import annotations

import struct
import time
from collections import Counter
from typing import Any

import pytest

import tgsi
from frontends.spirv.emit.memory import offsets
from frontends.spirv.module.types import Array, Struct
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


def words_of(name: str) -> list[int]:
    return list(struct.unpack(f"<{len(module(name)) // 4}I", module(name)))


def place(words: list[int], *wanted: int) -> int:
    """Index of the first of some words that follow each other."""
    return next(at for at in range(len(words)) if words[at : at + len(wanted)] == list(wanted))


def test_a_counter_that_is_no_integer_is_refused() -> None:
    words = words_of("sets.frag")
    image = words[place(words, 3 << 16 | 27) + 1]  # OpTypeSampledImage
    pointer = next(at for at, word in enumerate(words) if word == 4 << 16 | 32 and words[at + 3] == image)  # OpTypePointer
    words[pointer + 2] = 10  # AtomicCounter
    with pytest.raises(tgsi.DiagnosticError, match=r"M021.*an atomic counter of type .* is not supported"):
        tgsi.read_spirv(words)


def test_an_array_without_an_end_may_have_elements_larger_than_any_memory() -> None:
    words = words_of("flow.comp")
    runtime = place(words, 3 << 16 | 29)  # OpTypeRuntimeArray result element
    array = next(at for at, word in enumerate(words) if word == 4 << 16 | 28 and words[at + 1] == words[runtime + 2])  # OpTypeArray
    size = next(at for at, word in enumerate(words) if word == 4 << 16 | 43 and words[at + 2] == words[array + 3])  # OpConstant
    words[size + 3] = 0xFFFF0000
    program = tgsi.read_spirv(words)
    assert [item.code for item in tgsi.check(program)] == ["V062"]


def test_an_array_of_empty_elements_has_no_words_however_long_it_is() -> None:
    state: Any = None  # these types have no decorations
    empty = Array(element=Struct(members=(), id=0, words=0), size=1 << 28, stride=4, words=0)
    begin = time.process_time()
    assert offsets(state, empty) == []
    assert time.process_time() - begin < 1


def test_an_atomic_operation_on_an_image_itself_is_refused() -> None:
    words = words_of("images.comp")
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
