"""Flat images of compiled code, and systems that restrict executable memory."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import random
from pathlib import Path

import numpy as np
import pytest

from backends import system
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module
from backends.llvm.engine import engine, linking
from backends.llvm.engine import image as flat
from backends.llvm.engine.codegen import machine_for, parse_module
from backends.llvm.engine.engine import Library, compile_module, compile_object
from backends.llvm.engine.flatten import flatten, is_possible
from tests.unit.llvm.support import entry
from tgsi.tools.compile import cli

pytestmark = pytest.mark.skipif(not is_possible(), reason="no code is placed on this machine")


def _module() -> Module:
    """Module with constants of several sizes, an internal call and two external calls."""
    module = Module("m")
    inner = Function(module, "inner", [F32.wide(16)], F32.wide(16), internal=True)
    inner.ret(inner.args[0] * 3.0 + inner.lanes_const(F32.wide(16), [float(i) for i in range(16)]))
    f = Function(module, "k", [PTR])
    x = f.load(F32.wide(16), f.args[0])
    y = f.call(F32.wide(16), "inner", x)
    f.store(f.call(F32.wide(16), "tgsi_math_pow_16", f.abs(y), f.const(F32.wide(16), 0.5)), f.args[0])
    f.ret()
    g = Function(module, "copy", [PTR, PTR])
    g.call(PTR, "memcpy", *g.args, g.const(I64, 64))
    g.ret()
    return module


def _image() -> bytes:
    return compile_object(_module())[0]


def _result(library: Library) -> list[int]:
    data = np.arange(16, dtype=np.float32) + 0.25
    entry(library, "k", 1)(data)
    copied = np.zeros(16, np.float32)
    entry(library, "copy", 2)(copied, data)
    return [int(x) for x in copied.view(np.uint32)]


def test_flat_images_and_the_linker_of_llvm_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    placed = compile_module(_module())
    assert placed.image.startswith(flat.MAGIC)
    monkeypatch.setattr(linking, "prepare", lambda image: image)
    monkeypatch.setattr(engine, "prepare", lambda image: image)
    linked = compile_module(_module())
    assert linked.image.startswith(b"\x7fELF")
    assert _result(placed) == _result(linked)


class _Refusing:
    """C library of a system that does not let memory become executable later."""

    def mprotect(self, *arguments: object) -> int:
        ctypes.set_errno(errno.EACCES)
        return -1


def test_a_mapped_file_serves_where_mprotect_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = _result(compile_module(_module()))  # finds the functions that are called
    monkeypatch.setattr(system, "library", _Refusing)
    assert _result(compile_module(_module())) == expected


def test_a_system_that_allows_no_new_code_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def memfd_create(*arguments: object) -> int:
        raise OSError(errno.EPERM, "not here")

    system.symbol("memcpy")
    monkeypatch.setattr(system, "library", _Refusing)
    monkeypatch.setattr(os, "memfd_create", memfd_create)
    reasons = r"mprotect: Permission denied; a mapped memfd: Operation not permitted"
    with pytest.raises(OSError, match=rf'lets no memory become executable \({reasons}\).*engine="interp"'):
        compile_module(_module())
    shader = tmp_path / "a.tgsi"
    shader.write_text("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nADD OUT[0], IN[0], IN[0].yxwz\nEND\n")
    assert cli.main(["--run", str(shader), "--inputs", "[[[1.0, 2, 3, 4]]]"]) == 2
    assert "lets no memory become executable" in capsys.readouterr().err


def test_packing_and_unpacking_are_inverse() -> None:
    image = flatten(_image())
    assert image is not None
    found = flat.unpack(image)
    assert found.pack() == image
    assert set(found.exports) == {"k", "copy"}
    assert set(found.imports) == {"memcpy", "tgsi_math_pow_16"}


def test_broken_images_are_errors() -> None:
    image = flatten(_image())
    assert image is not None
    for length in range(0, len(image), 13):
        with pytest.raises(ValueError, match="broken image"):
            flat.unpack(image[:length])
    source = random.Random(3)
    for _ in range(300):
        broken = bytearray(image)
        broken[source.randrange(28 + 16)] ^= 1 << source.randrange(8)
        try:
            found = flat.unpack(bytes(broken))
        except ValueError:
            continue
        assert all(at < len(found.memory) for at in found.exports.values())
        assert all(at + 8 <= len(found.memory) for at in found.imports.values())


def test_an_export_that_is_missing_is_an_error() -> None:
    image = flatten(_image())
    assert image is not None
    with pytest.raises(ValueError, match="'m' has no other"):
        linking.link(image, "m", ["k", "other"], lambda symbol: 1)


def test_what_needs_a_real_linker_gets_one() -> None:
    """A flat image cannot contain writable data."""
    text = """
@counter = internal global i32 7
define i32 @next() {
  %a = load i32, ptr @counter
  %b = add i32 %a, 1
  store i32 %b, ptr @counter
  ret i32 %b
}
"""
    machine = machine_for("host")
    image = bytes(machine.emit_object(parse_module(text, machine)))
    assert flatten(image) is None
    assert linking.prepare(image) == image
    address, keepalive = linking.link(image, "counter", ["next"], lambda symbol: None)
    function = ctypes.CFUNCTYPE(ctypes.c_int32)(address["next"])
    assert (function(), function()) == (8, 9)
    assert keepalive is not None


def test_objects_of_other_machines_and_formats_have_no_flat_image() -> None:
    assert flatten(b"no object") is None
    with pytest.raises(ValueError, match="broken object file"):
        flatten(_image()[:100])
    machine = machine_for("aarch64-linux-gnu" if system.machine() == "x86_64" else "x86_64-linux-gnu")
    assert flatten(bytes(machine.emit_object(parse_module("define void @k() { ret void }", machine)))) is None


def _mapped(address: int) -> str | None:
    """Protection of the memory at an address, or None if the address is not mapped."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        low, high = (int(word, 16) for word in line.split()[0].split("-"))
        if low <= address < high:
            return line.split()[1]
    return None


def test_code_is_not_writable_and_is_given_back() -> None:
    module = Module("m")
    f = Function(module, "k", [PTR])
    f.store(f.const(I32, 1), f.args[0])
    f.ret()
    image = flatten(compile_object(module)[0])
    assert image is not None
    size = 64 << 20  # more than any gap between other mappings
    found = flat.unpack(image)
    big = flat.Flat(memoryview(bytes(found.memory) + bytes(size)), found.exports, {})
    placed = flat.Placed(big, {})
    end = placed.address["k"] + size - 4096
    assert _mapped(placed.address["k"]) == _mapped(end) == "r-xp"
    del placed
    gc.collect()
    assert _mapped(end) != "r-xp"


def test_a_function_that_the_process_lacks_is_an_error() -> None:
    with pytest.raises(ValueError, match="no function an_unknown_name"):
        system.symbol("an_unknown_name")
