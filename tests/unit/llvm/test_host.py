"""LLVM's answers about this machine are kept in the object cache, as long as the machine and llvmlite stay the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import llvmlite
import pytest

from backends.llvm.engine.object_cache import ObjectCache, recall_host
from backends.llvm.targets import host
from backends.llvm.targets.host import Host

FIRST = "processor\t: 0\nmodel name\t: A\nflags\t\t: sse avx\ncpu MHz\t\t: 2000.0\n\n"
SECOND = "processor\t: 1\nmodel name\t: A\nflags\t\t: sse avx\ncpu MHz\t\t: 1234.5\n\n"
ANSWERS = Host("x86_64-unknown-linux-gnu", "pretend", "+avx,-avx2", "LLVM 1.2.3")


class Machine:
    """A pretend machine: Linux's files, and the number of times that LLVM was asked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cpu_info, self.boot, self.asked = folder / "cpuinfo", folder / "boot_id", 0
        self.cpu_info.write_text(FIRST + SECOND)
        self.boot.write_text("first boot\n")
        monkeypatch.setattr(host, "CPU_INFO", self.cpu_info)
        monkeypatch.setattr(host, "BOOT", self.boot)
        monkeypatch.setattr(host, "detect", self._detect)
        monkeypatch.setattr(host._Known, "host", None)
        monkeypatch.setattr(host, "surroundings", host.surroundings.__wrapped__)  # not once a process

    def _detect(self) -> Host:
        self.asked += 1
        return ANSWERS

    def start(self, cache: ObjectCache | bool) -> Host:
        """LLVM's answers as a new process would find them."""
        host._Known.host = None
        recall_host(cache)
        return host.host()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def cache(tmp_path: Path) -> ObjectCache:
    return ObjectCache(tmp_path / "objects")


def test_llvm_is_asked_once_for_all_processes(machine: Machine, cache: ObjectCache) -> None:
    assert [machine.start(cache) for _ in range(3)] == [ANSWERS] * 3
    assert machine.asked == 1


def test_the_clock_and_the_other_cpus_change_nothing(machine: Machine, cache: ObjectCache) -> None:
    machine.start(cache)
    machine.cpu_info.write_text(FIRST.replace("2000.0", "1800.0") + SECOND.replace("1234.5", "800.0"))
    machine.start(cache)
    assert machine.asked == 1


@pytest.mark.parametrize("change", ["flags", "emulator", "boot", "llvmlite"])
def test_llvm_is_asked_again_where_its_answers_may_differ(
    machine: Machine, cache: ObjectCache, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.start(cache)
    if change == "flags":
        machine.cpu_info.write_text(FIRST.replace("avx", "avx avx2") + SECOND)
    elif change == "emulator":  # qemu shows the files of the real machine to its programs
        monkeypatch.setattr(host, "cpu_flags", lambda: "SSE SSE2")
    elif change == "boot":
        machine.boot.write_text("second boot\n")
    else:
        monkeypatch.setattr(llvmlite, "__version__", "0.0.1")
    machine.start(cache)
    assert machine.asked == 2


@pytest.mark.parametrize("kept", [b"", b"a\nb", b"a\nb\nc\nd\ne", b"\xff\n\xfe\n\n"])
def test_what_cannot_be_read_is_asked_again(machine: Machine, cache: ObjectCache, kept: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Host, "pack", lambda _: kept)
        machine.start(cache)
    assert [machine.start(cache) for _ in range(3)] == [ANSWERS] * 3
    assert machine.asked == 3  # the first, the one that read `kept` and removed it, and the one that left the answers


def test_nothing_is_kept_without_a_cache_or_without_the_files_of_linux(machine: Machine, cache: ObjectCache) -> None:
    machine.start(False)
    machine.boot.unlink()
    machine.start(cache)
    assert (machine.asked, cache.directory.exists()) == (2, False)


def test_features_are_found_by_their_whole_names() -> None:
    wide = replace(ANSWERS, features="+avx512f,-avx2,+fma4")
    assert [wide.has(name) for name in ("avx512f", "avx512", "avx2", "fma", "fma4")] == [True, False, False, False, True]


def test_numpy_tells_the_features_of_the_processor() -> None:
    found = host.detect()
    assert host.cpu_flags()
    assert ("AVX2" in host.cpu_flags().split()) == found.has("avx2")


def test_llvm_describes_this_machine() -> None:
    found = host.detect()
    assert Host.unpack(found.pack()) == found
    assert found.triple
    assert found.version.startswith("llvmlite ")
