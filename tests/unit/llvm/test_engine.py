"""Compilation of modules, allowed symbols, and the object cache on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from backends.llvm.builder.function import F32, F64, I32, PTR, Function, Module
from backends.llvm.engine.codegen import assembly, optimized_text
from backends.llvm.engine.engine import Library, compile_cached, compile_module, compile_object
from backends.llvm.engine.object_cache import ObjectCache, object_key, resolve_cache
from backends.llvm.engine.object_files import undefined_symbols
from backends.llvm.targets import machines as target
from tests.levels import need
from tests.unit.llvm.support import entry, runnable_levels


def _module(value: float = 2.0, cpu: str = "host") -> Module:
    module = Module("double", cpu)
    f = Function(module, "k", [PTR])
    x = f.load(F32.wide(8), f.args[0])
    f.store(f.floor(x) * value, f.args[0])
    f.ret()
    return module


def _result(library: Library) -> list[float]:
    data = np.full(8, 1.5, np.float32)
    entry(library, "k", 1)(data)
    return [float(x) for x in data]


def test_a_symbol_outside_the_allow_list_is_an_error() -> None:
    module = Module("m")
    f = Function(module, "k", [PTR])
    f.call(None, "abort")
    f.ret()
    with pytest.raises(ValueError, match="'m' calls abort"):
        compile_module(module)


def test_library_calls_of_the_code_generator_are_found() -> None:
    need("x86-64")
    module = Module("m", "x86-64")
    f = Function(module, "k", [PTR])
    f.store(f.intrinsic("floor", f.load(F32, f.args[0])), f.args[0])
    f.ret()
    with pytest.raises(ValueError, match="floorf"):
        compile_module(module)


def test_memcpy_is_allowed() -> None:
    module = Module("m")
    f = Function(module, "k", [PTR, PTR, F64], shared=True)
    f.call(PTR, "memcpy", f.args[0], f.args[1], f.args[2].bits_as(F64).cast("fptosi", PTR.__class__("i", 64)))
    f.ret()
    assert compile_module(module).address["k"]


def test_unknown_processors_are_refused() -> None:
    with pytest.raises(ValueError, match="x86-64-v2"):
        Module("m", "pentium")


def test_code_for_features_that_a_processor_lacks_is_refused() -> None:
    if "sse4.1" not in target.cpu_features("host"):
        pytest.skip("the host has no SSE4.1")
    with pytest.raises(ValueError, match=r"lacks sse4\.1"):
        compile_module(_module(), cpu="x86-64")


@pytest.mark.parametrize("cpu", ["host", *runnable_levels()])
def test_every_level_gives_the_same(cpu: str) -> None:
    assert _result(compile_module(_module(cpu=cpu))) == [2.0] * 8


def test_times_and_texts_are_there_for_reading() -> None:
    library = compile_module(_module())
    assert {"lines", "parse_ms", "passes_ms", "codegen_ms", "link_ms"} <= library.times.keys()
    assert "k:" in assembly(_module().text(), "host")
    assert "define void @k" in optimized_text(_module())


def test_undefined_symbols_are_read_from_the_object() -> None:
    image, _, _ = compile_object(_module())
    assert undefined_symbols(image) == set()
    with pytest.raises(ValueError, match="not an object file"):
        undefined_symbols(b"no object")
    with pytest.raises(ValueError, match="broken"):
        undefined_symbols(image[:100])


# -- the cache on disk --------------------------------------------------------------------------------------------------
def test_a_hit_builds_nothing(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    built = []

    def build() -> Module:
        built.append(1)
        return _module(3.0)

    for _ in range(3):
        library = compile_cached(("triple", 3.0), build, exports=["k"], cache=cache)
        assert _result(library) == [3.0] * 8
    assert built == [1]


def test_without_a_cache_everything_is_built(tmp_path: Path) -> None:
    built = []

    def build() -> Module:
        built.append(1)
        return _module()

    for _ in range(2):
        compile_cached(("x",), build, exports=["k"], cache=False)
    assert built == [1, 1]


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:60] + b"?" + data[61:], lambda data: b"", lambda data: b"x" * 100]
)
def test_damaged_files_are_ignored(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    cache = ObjectCache(tmp_path)
    compile_cached(("d",), _module, exports=["k"], cache=cache)
    (path,) = tmp_path.glob("*/*")
    path.write_bytes(damage(path.read_bytes()))
    assert _result(compile_cached(("d",), _module, exports=["k"], cache=cache)) == [2.0] * 8
    assert cache.get(path.name) is not None


def test_a_sound_file_that_is_no_object_is_built_again(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    cache.put(object_key(("n",), "host"), b"not an object")
    assert _result(compile_cached(("n",), _module, exports=["k"], cache=cache)) == [2.0] * 8


def test_the_key_depends_on_every_part() -> None:
    keys = {object_key(parts, cpu) for parts in (("a", 16), ("a", 32), ("b", 16)) for cpu in ("host", "x86-64")}
    assert len(keys) == 6


def test_the_cache_stays_within_its_size(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=10_000)
    for i in range(40):
        cache.put(f"{i:064x}", bytes(600))
    cache.trim()
    assert sum(p.stat().st_size for p in tmp_path.rglob("*") if p.is_file()) <= 10_000
    assert cache.get(f"{39:064x}") == bytes(600)


def test_a_directory_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert _result(compile_cached(("w",), _module, exports=["k"], cache=ObjectCache(blocked))) == [2.0] * 8


def test_the_environment_names_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CACHE_DIR", str(tmp_path))
    found = resolve_cache(None)
    assert found is not None
    assert found.directory == tmp_path
    monkeypatch.setenv("TGSI_CACHE_DIR", "")
    assert resolve_cache(True) is None
    assert resolve_cache(tmp_path) is not None


def test_integers_of_any_width_print_as_llvm_reads_them() -> None:
    module = Module("m")
    f = Function(module, "k", [PTR])
    f.store(f.const(I32, 0xFFFFFFFF), f.args[0])
    f.store(f.const(I32, -1), f.args[0], 4)
    f.ret()
    data = np.zeros(2, np.uint32)
    entry(compile_module(module), "k", 1)(data)
    assert data.tolist() == [0xFFFFFFFF] * 2
