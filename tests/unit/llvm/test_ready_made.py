"""Ready-made kernels are used if they are of this source, this LLVM and this machine, and ignored otherwise."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from backends.llvm.builder.function import I32, Function
from backends.llvm.builder.module import Module
from backends.llvm.engine import ready_made
from backends.llvm.engine.engine import compile_cached, compile_object
from backends.llvm.engine.flatten import is_possible
from backends.llvm.engine.linking import prepare
from backends.llvm.engine.sources import Sources, own_sources
from backends.llvm.targets import host
from backends.llvm.targets.machines import LEVELS, own_architecture
from backends.ready_made import rows
from backends.ready_made.__main__ import main
from backends.ready_made.build import compiled, target_of
from backends.ready_made.makers import MAKERS, SHARED, request

KEY = ("answer", 42)
HERE = ready_made.level_of("host")

pytestmark = pytest.mark.skipif(HERE is None or not is_possible(), reason="this machine has no ready-made kernels")


def module_of(number: int, cpu: str = "host") -> Module:
    """Module whose function returns a number."""
    module = Module("answer", cpu)
    f = Function(module, "answer", [], I32)
    f.ret(f.const(I32, number))
    return module


def image_of(number: int) -> bytes:
    return prepare(compile_object(module_of(number))[0])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in the place of the package's."""
    monkeypatch.delenv("TGSI_READY_MADE", raising=False)
    monkeypatch.setattr(ready_made, "FOLDER", tmp_path)
    ready_made.current.cache_clear()
    yield tmp_path
    ready_made.current.cache_clear()


def write(folder: Path, level: str | None = None, sources: str | None = None) -> Path:
    """A file with one kernel, which differs from what would be compiled for its key."""
    assert HERE is not None
    path = folder / f"{HERE}.kernels"
    around = ready_made.surroundings(sources or own_sources().digest or "", level or HERE)
    path.write_bytes(ready_made.pack(around, {ready_made.name_of(KEY): image_of(7)}))
    ready_made.current.cache_clear()
    return path


def compiles(of_program: bool = False) -> bool:
    """True if a request for the kernel compiles it."""
    made = []

    def build() -> Module:
        made.append(KEY)
        return module_of(42)

    library = compile_cached(KEY, build, exports=("answer",), cache=False, of_program=of_program)
    assert library.address["answer"]
    return bool(made)


def test_a_kernel_of_no_program_comes_from_the_file(folder: Path) -> None:
    assert compiles()
    write(folder)
    assert not compiles()


def test_kernels_of_programs_are_compiled(folder: Path) -> None:
    write(folder)
    assert compiles(of_program=True)


def test_a_file_of_other_source_is_ignored(folder: Path) -> None:
    write(folder, sources="0" * 64)
    assert compiles()


def test_a_file_of_another_llvm_is_ignored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = host.host()
    with monkeypatch.context() as patch:
        patch.setattr(host._Known, "host", replace(own, version="llvmlite 0.49.0 LLVM 20.1.8"))
        write(folder)
    ready_made.current.cache_clear()
    assert compiles()


def test_another_patch_release_of_llvmlite_with_the_same_llvm_takes_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = host.host()
    with monkeypatch.context() as patch:
        patch.setattr(host._Known, "host", replace(own, version=f"llvmlite 0.50.99 LLVM {own.llvm}"))
        write(folder)
    ready_made.current.cache_clear()
    assert not compiles()


def test_a_file_of_another_machine_is_ignored(folder: Path) -> None:
    write(folder, level=next(level for level in ready_made.LEVELS if level != HERE))
    assert compiles()


@pytest.mark.parametrize("kept", [0, 10, 75, 150, -1])
def test_a_truncated_file_is_ignored(folder: Path, kept: int) -> None:
    path = write(folder)
    path.write_bytes(path.read_bytes()[:kept])
    ready_made.current.cache_clear()
    assert compiles()


@pytest.mark.parametrize("at", [0, 9, 41, 73, 80, 112, 150, -1])
def test_a_file_with_a_changed_byte_is_ignored(folder: Path, at: int) -> None:
    path = write(folder)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    ready_made.current.cache_clear()
    assert compiles()


def test_a_file_that_is_removed_after_its_table_was_read_is_ignored(folder: Path) -> None:
    path = write(folder)
    assert not compiles()
    path.unlink()
    assert compiles()


def test_an_environment_variable_turns_them_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder)
    monkeypatch.setenv("TGSI_READY_MADE", "off")
    assert compiles()
    monkeypatch.setenv("TGSI_READY_MADE", "of")
    with pytest.raises(ValueError, match="TGSI_READY_MADE: 'of' is neither on nor off"):
        compiles()


def test_other_systems_and_lesser_machines_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ready_made.level_of("x86-64") is None
    own = host.host()
    for changed in (replace(own, triple="x86_64-apple-darwin23"), replace(own, triple="x86_64-pc-windows-msvc")):
        with monkeypatch.context() as patch:
            patch.setattr(host._Known, "host", changed)
            assert ready_made.level_of("host") is None


# -- the list ------------------------------------------------------------------------------------------------------------
def test_every_line_of_the_list_is_read_as_it_is_written() -> None:
    lines = rows.LIST.read_text(encoding="ascii").splitlines()[1:]
    assert [str(row) for row in rows.all_rows()] == lines
    assert len(lines) > 300
    assert {row.name for row in rows.all_rows()} == MAKERS.keys() | {SHARED}


def test_every_line_of_the_list_requests_the_kernel_that_it_names() -> None:
    for row in rows.all_rows():
        if row.name == SHARED:
            continue
        found = request(row, target_of("x86-64-v3"))
        assert found is not None, row
        key = found[0]
        assert key[0] == row.name
        arguments = tuple(part for part in key[1:] if not (isinstance(part, str) and len(part) == 64))
        assert arguments == row.arguments, row


def test_no_kernel_of_the_list_contains_a_program() -> None:
    text = rows.LIST.read_text(encoding="ascii")
    assert not any(f"{word}\\n" in text for word in ("VERT", "FRAG", "GEOM", "COMP", "END"))


@pytest.mark.skipif(own_architecture().name != "x86_64", reason="levels are of x86-64")
@pytest.mark.parametrize("name", ["fetch_floats", "poll", "resolve"])
def test_ready_made_code_is_the_code_that_is_compiled_here(name: str) -> None:
    for level in rows.RECORDED:
        if target_of(level).rpartition("/")[2] not in LEVELS:
            continue
        row = next(row for row in rows.rows_of(level) if row.name == name)
        found = request(row, level)
        assert found is not None
        key, make = found
        try:
            image = prepare(compile_object(make())[0])
        except ValueError:  # a level above this machine
            continue
        assert compiled(row, level) == (ready_made.name_of(key), image)


def test_code_for_aarch64_is_made_here() -> None:
    row = next(row for row in rows.rows_of(ready_made.AARCH64) if row.name == "resolve")
    made = compiled(row, ready_made.AARCH64)
    assert made is not None
    assert made[1].startswith(b"TGSIFLAT")


def test_the_command_says_which_files_are_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert [line.split()[1:] for line in capsys.readouterr().out.splitlines()[1:]] == [["none"]] * len(ready_made.LEVELS)
    path = write(folder)
    main([])
    assert "1 kernels, 0 KiB, current" in capsys.readouterr().out
    write(folder, sources="0" * 64)
    main([])
    assert "stale: of other source or another LLVM" in capsys.readouterr().out
    path.write_bytes(b"")
    ready_made.current.cache_clear()
    main([])
    assert "damaged; it is ignored" in capsys.readouterr().out


def test_the_digest_of_the_source_lies_next_to_the_kernels_and_counts_for_files_in_that_state(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "generator.py"
    file.write_text("A = 1\n")
    long_ago, later = time.time() - 60, time.time() + 60

    def sources(began: float) -> Sources:
        return Sources([file], folder, began)

    now = sources(time.time() + 1)
    monkeypatch.setattr(ready_made, "own_sources", lambda: now)
    monkeypatch.setattr(ready_made, "Sources", lambda *_: sources(long_ago))
    ready_made.note_sources()
    assert not (folder / ready_made.NOTE).exists()  # a file that young could change and look the same
    monkeypatch.setattr(ready_made, "Sources", lambda *_: sources(later))
    ready_made.note_sources()
    for change, is_known in (("", True), ("B = 2\n", False)):
        file.write_text(file.read_text() + change) if change else None
        found = sources(later)
        monkeypatch.setattr(ready_made, "own_sources", lambda found=found: found)
        ready_made.recall_sources()
        assert found.is_known == is_known
        assert (found.digest == now.digest) == is_known


def test_a_damaged_note_of_the_source_is_ignored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "generator.py"
    file.write_text("A = 1\n")
    for content in (b"", b"\xff", b"0 0\n", b"x" * 130):
        (folder / ready_made.NOTE).write_bytes(content)
        found = Sources([file], folder, time.time() + 60)
        monkeypatch.setattr(ready_made, "own_sources", lambda found=found: found)
        ready_made.recall_sources()
        assert not found.is_known
