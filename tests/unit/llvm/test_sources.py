"""Digest of the sources that generate code, which keys the object cache."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from backends.llvm.builder.function import PTR, Function, Module
from backends.llvm.engine import engine, object_cache
from backends.llvm.engine.engine import compile_cached
from backends.llvm.engine.object_cache import ObjectCache, recall_sources
from backends.llvm.engine.sources import APART, ROOT, Sources, process_start, source_files


def _module() -> Module:
    module = Module("m")
    Function(module, "k", [PTR]).ret()
    return module


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "one.py").write_text("A = 1\n")
    (tmp_path / "two.py").write_text("B = 2\n")
    return tmp_path


def _read(tree: Path, began: float | None = None) -> Sources:
    return Sources(sorted(tree.glob("*.py")), tree, time.time() + 1 if began is None else began)


def test_equal_files_have_equal_digests_wherever_they_lie(tree: Path) -> None:
    before = _read(tree).digest
    assert before is not None
    moved = tree / "moved"
    moved.mkdir()
    for file in tree.glob("*.py"):
        file.rename(moved / file.name)
    assert _read(moved).digest == before
    (moved / "one.py").rename(moved / "three.py")
    assert _read(moved).digest not in (None, before)


def test_a_file_that_is_younger_than_the_process_leaves_no_digest(tree: Path) -> None:
    """Modules may have been imported before the file was written. A forged old timestamp makes no difference."""
    began = time.time()
    time.sleep(0.1)
    (tree / "one.py").write_text("A = 3\n")
    os.utime(tree / "one.py", (1, 1))
    assert _read(tree, began).digest is None


def test_files_that_are_missing_leave_no_digest(tree: Path) -> None:
    assert Sources([], tree, time.time() + 1).digest is None
    assert Sources([tree / "gone.py"], tree, time.time() + 1).digest is None


def test_what_is_imported_after_an_edit_ends_the_digest(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _read(tree)
    assert found.are_unchanged()
    (tree / "two.py").write_text("B = 4\n")
    monkeypatch.setitem(sys.modules, "a_module_of_this_test", sys)
    assert not found.are_unchanged()
    (tree / "two.py").write_text("B = 2\n")
    assert not found.are_unchanged()


def test_a_process_with_edited_sources_neither_reads_nor_stores(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ObjectCache(tmp_path / "objects")
    built = []

    def build() -> Module:
        built.append(1)
        return _module()

    def compile_it() -> int:
        compile_cached(("edited",), build, exports=["k"], cache=cache)
        return len(list((tmp_path / "objects").rglob("*/*")))

    known, edited = _read(tree), _read(tree, began=time.time() - 1000)
    monkeypatch.setattr(engine, "own_sources", lambda: known)
    assert (compile_it(), compile_it(), len(built)) == (1, 1, 1)
    monkeypatch.setattr(engine, "own_sources", lambda: edited)
    assert (compile_it(), len(built)) == (1, 2)


def test_a_second_process_takes_the_digest_from_the_cache_and_reads_no_file(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, later = ObjectCache(tmp_path / "objects"), time.time() + 60
    first, second = _read(tree, later), _read(tree, later)
    digest = _read(tree).digest
    for sources in (first, second):
        monkeypatch.setattr(object_cache, "own_sources", lambda sources=sources: sources)
        recall_sources(cache)
        monkeypatch.setattr(Sources, "_read", None)
        assert sources.digest == digest
        assert sources.are_unchanged()
    monkeypatch.undo()
    (tree / "two.py").write_text("B = 4\n")
    edited = _read(tree, later)
    monkeypatch.setattr(object_cache, "own_sources", lambda: edited)
    recall_sources(cache)
    assert edited.digest not in (None, digest)
    monkeypatch.setitem(sys.modules, "a_module_of_this_test", sys)
    assert not second.are_unchanged()


def test_files_that_have_just_changed_have_a_digest_and_no_stamp(tree: Path) -> None:
    found = _read(tree)
    assert found.stamp is None
    assert found.digest is not None


def test_old_modules_never_store_under_the_digest_of_new_files(tmp_path: Path) -> None:
    """A process imports the generators, a generator is edited, the process compiles: no object is stored."""
    for name in ("backends", "frontends", "linkage", "passes", "tgsi"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    script = f"""
import sys, time
from collections.abc import Iterator
from pathlib import Path
from backends.llvm.engine import engine, object_cache
from backends.llvm.library import math
from backends.llvm.builder.function import PTR, Function, Module
assert engine.__file__.startswith({str(tmp_path)!r})
def build():
    module = Module("m")
    Function(module, "k", [PTR]).ret()
    return module
if "edit" in sys.argv:
    file = Path(math.__file__)
    file.write_text(file.read_text() + "# edited")
engine.compile_cached(("x",), build, exports=["k"], cache={str(tmp_path / "objects")!r})
"""
    (tmp_path / "work.py").write_text(script)
    time.sleep(0.2)
    found = []
    for arguments in ([], ["edit"]):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([sys.executable, str(tmp_path / "work.py"), *arguments], check=True, env=environment, cwd=tmp_path)
        found.append(len(list((tmp_path / "objects").glob("*/*"))))
    assert found == [1, 1]


def test_a_process_began_before_now() -> None:
    assert 0 < time.time() - process_start() < 24 * 3600


def test_everything_that_generators_import_is_in_the_digest() -> None:
    """The digest includes the modules that validate and print programs, because keys contain their text."""
    known = set(map(Path, source_files()))
    seen = _reached(ROOT / "backends" / name for name in ("llvm", "raster"))
    assert sorted(str(p.relative_to(ROOT)) for p in seen - known) == []


def test_nothing_that_may_make_keys_imports_what_the_digest_leaves_out() -> None:
    reached = _reached(p for p in (ROOT / "backends").iterdir() if p.is_dir() and p.name not in APART | {"ready_made"})
    assert [p for p in reached if p.is_relative_to(ROOT / "backends") and p.relative_to(ROOT / "backends").parts[0] in APART] == []


def _reached(folders: Iterable[Path]) -> set[Path]:
    """The modules of folders, and all that they import."""
    seen: set[Path] = set()
    todo = [p for folder in folders for p in folder.rglob("*.py")]
    while todo:
        file = todo.pop()
        if file not in seen:
            seen.add(file)
            todo += [found for name in _imported(file) if (found := _file_of(name)) is not None]
    return seen


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _file_of(name: str) -> Path | None:
    place = ROOT / name.replace(".", "/")
    return next((p for p in (place.with_suffix(".py"), place / "__init__.py") if p.exists()), None)
