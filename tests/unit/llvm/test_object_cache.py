"""Object cache on disk: damaged files, limits, permissions, concurrent writers."""

from __future__ import annotations

import os
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backends import sealed_files
from backends.llvm.engine.object_cache import ObjectCache
from backends.sealed_files import SECRET_NAME
from tests.children import exit_code, start

KEY = "ab" + 62 * "0"
OBJECT = random.Random(1).randbytes(3000)


def _files(directory: Path) -> list[Path]:
    return [p for p in directory.rglob("*") if p.is_file() and p.name != SECRET_NAME]


@pytest.fixture
def cache(tmp_path: Path) -> ObjectCache:
    cache = ObjectCache(tmp_path)
    cache.put(KEY, OBJECT)
    return cache


def test_what_was_put_is_found_by_others(cache: ObjectCache, tmp_path: Path) -> None:
    assert ObjectCache(tmp_path).get(KEY) == OBJECT
    assert cache.get("cd" + KEY[2:]) is None


def test_every_truncation_counts_as_absent(cache: ObjectCache, tmp_path: Path) -> None:
    (path,) = _files(tmp_path)
    whole = path.read_bytes()
    for length in [*range(60), *range(60, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert cache.get(KEY) is None
        assert not path.exists()


def test_every_flipped_byte_counts_as_absent(cache: ObjectCache, tmp_path: Path) -> None:
    (path,) = _files(tmp_path)
    whole = path.read_bytes()
    for at in [*range(60), *range(60, len(whole), 53), len(whole) - 1]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        assert cache.get(KEY) is None
    path.write_bytes(whole + b"\0")
    assert cache.get(KEY) is None


def test_an_object_under_another_name_counts_as_absent(cache: ObjectCache, tmp_path: Path) -> None:
    (path,) = _files(tmp_path)
    other = "ab" + 62 * "1"
    shutil.copy(path, path.with_name(other))
    assert cache.get(other) is None
    assert cache.get(KEY) == OBJECT


def test_files_of_another_version_count_as_absent(cache: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sealed_files, "_MAGIC", b"TGSIOBJ9")
        assert cache.get(KEY) is None
        cache.put(KEY, OBJECT)
        assert cache.get(KEY) == OBJECT
    assert cache.get(KEY) is None


def test_many_processes_store_and_read_one_key(tmp_path: Path) -> None:
    versions = [random.Random(i).randbytes(20_000 + 1000 * i) for i in range(4)]

    def work(number: int) -> None:
        cache = ObjectCache(tmp_path)
        for _ in range(60):
            cache.put(KEY, versions[number])
            assert cache.get(KEY) in versions

    children = [start(lambda number=i: work(number)) for i in range(4)]  # type: ignore[misc]
    assert [exit_code(child) for child in children] == [0] * 4
    assert len(_files(tmp_path)) == 1


def test_what_is_evicted_while_another_process_reads_is_read_whole_or_absent(tmp_path: Path) -> None:
    keys = [f"{i % 7:02x}{i:062x}" for i in range(40)]

    def read() -> None:
        cache = ObjectCache(tmp_path)
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            for key in keys:
                found = cache.get(key)
                assert found is None or found == key.encode() * 30

    def write() -> None:
        cache = ObjectCache(tmp_path, max_bytes=30_000)
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            for key in keys:
                cache.put(key, key.encode() * 30)

    children = [start(work) for work in (read, read, write, write)]
    assert [exit_code(child) for child in children] == [0] * 4
    # each writer checks after every sixteenth of the limit
    assert sum(p.stat().st_size for p in _files(tmp_path)) <= 30_000 * 18 // 16


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=40_000)
    keys = [f"{i:02x}" + 62 * "0" for i in range(12)]
    for age, key in enumerate(reversed(keys)):
        cache.put(key, OBJECT)
        os.utime(tmp_path / key[:2] / key, (time.time() - 10_000 * (age + 1),) * 2)
    found = cache.get(keys[-1])  # the last of `keys` was used most recently, the first least recently; now one old key is used
    assert found == OBJECT
    assert cache.get(keys[0]) == OBJECT
    for key in ("f0" + 62 * "0", "f1" + 62 * "0"):
        cache.put(key, OBJECT)
    cache.trim()
    left = {p.name for p in _files(tmp_path)}
    assert {keys[0], keys[-1], "f0" + 62 * "0"} <= left
    assert sum(p.stat().st_size for p in _files(tmp_path)) <= 40_000


def test_remains_of_processes_that_died_are_evicted_too(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=10_000)
    (tmp_path / "ab").mkdir()
    rest = tmp_path / "ab" / ".new-rest"
    rest.write_bytes(bytes(9000))
    os.utime(rest, (1, 1))
    cache.put(KEY, OBJECT)
    cache.trim()
    assert not rest.exists()
    assert cache.get(KEY) == OBJECT


@pytest.fixture
def readable() -> Iterator[Path]:
    """Directory that other users can read."""
    directory = Path(tempfile.mkdtemp(dir="/tmp"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


def test_a_read_only_directory_is_read_and_not_written(readable: Path) -> None:
    """Runs as a user who may not write, because the superuser may write everywhere."""
    ObjectCache(readable).put(KEY, OBJECT)
    if os.geteuid() == 0:
        for place in (readable, *readable.rglob("*")):
            os.chown(place, 65534, 65534)
    (path,) = _files(readable)
    path.chmod(0o444)
    os.utime(path, (1, 1))
    path.parent.chmod(0o555)
    readable.chmod(0o555)

    def work() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        cache = ObjectCache(readable, max_bytes=1000)
        assert cache.get(KEY) == OBJECT
        cache.put(KEY, b"other")
        cache.put("ff" + KEY[2:], OBJECT)
        cache.discard(KEY)
        cache.trim()
        assert cache.get("ff" + KEY[2:]) is None
        assert cache.get(KEY) == OBJECT

    done = exit_code(start(work)) == 0
    readable.chmod(0o755)
    path.parent.chmod(0o755)
    assert done
    assert _files(readable) == [path]


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """A limit on file sizes simulates a full disk."""

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        cache = ObjectCache(tmp_path)
        cache.put(KEY, OBJECT)
        assert cache.get(KEY) is None
        cache.put(KEY, b"short")
        assert cache.get(KEY) == b"short"

    assert exit_code(start(work)) == 0
    assert len(_files(tmp_path)) == 1
