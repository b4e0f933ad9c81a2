"""Objects on disk are run as code: only what this user alone can have written is read."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from backends.llvm.engine.object_cache import MAX_OBJECT, ObjectCache, default_cache, resolve_cache
from backends.sealed_files import SECRET_NAME

KEY = "ab" + 62 * "0"
OBJECT = bytes(range(256))
ROOT = Path(__file__).parents[3]

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Directory of a cache with one object."""
    ObjectCache(tmp_path / "objects").put(KEY, OBJECT)
    return tmp_path / "objects"


def test_every_directory_that_is_made_is_closed_to_others(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        ObjectCache(tmp_path / "a" / "b" / "objects").put(KEY, OBJECT)
    finally:
        os.umask(old)
    made = list((tmp_path / "a").rglob("*"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in [tmp_path / "a", *made] if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_file()} == {0o600}


def refused(place: Path, say: str) -> None:
    """Assert that a directory is not used, with one warning, and that a private one replaces it."""
    before = {path: path.lstat().st_mtime_ns for path in place.rglob("*")}
    with pytest.warns(RuntimeWarning, match=say) as said:
        assert ObjectCache(place).get(KEY) is None
    assert "TGSI_CACHE=off" in str(said[0].message)
    cache = ObjectCache(place)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said once
        cache.put(KEY, b"new")
        assert cache.get(KEY) == b"new"
        assert ObjectCache(place).get(KEY) == b"new"
    assert {path: path.lstat().st_mtime_ns for path in place.rglob("*")} == before


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o722])
def test_a_directory_that_others_can_write_is_refused(place: Path, mode: int) -> None:
    place.chmod(mode)
    refused(place, "open to others")


@needs_root
def test_a_directory_of_another_user_is_refused(place: Path) -> None:
    os.chown(place, 65534, 65534)
    refused(place, "belongs to user 65534")


@needs_root
def test_a_link_that_another_user_laid_is_refused(place: Path) -> None:
    link = place.with_name("link")
    link.symlink_to(place)
    assert ObjectCache(link).get(KEY) == OBJECT
    os.chown(link, 65534, 65534, follow_symlinks=False)
    refused(link, "belongs to user 65534")


def test_a_secret_that_others_can_read_is_refused(place: Path) -> None:
    (place / SECRET_NAME).chmod(0o644)
    refused(place, SECRET_NAME)


@needs_root
def test_an_object_of_another_user_is_not_read(place: Path) -> None:
    """Its seal is right: another user may have linked or copied it."""
    os.chown(place / "ab" / KEY, 65534, 65534)
    assert ObjectCache(place).get(KEY) is None


def test_an_object_that_others_can_write_is_not_read(place: Path) -> None:
    (place / "ab" / KEY).chmod(0o666)
    assert ObjectCache(place).get(KEY) is None


def test_an_object_without_the_seal_of_the_directory_is_not_read(place: Path, tmp_path: Path) -> None:
    other = ObjectCache(tmp_path / "other")
    other.put(KEY, b"code of another program")
    shutil.copy(tmp_path / "other" / "ab" / KEY, place / "ab" / KEY)
    assert ObjectCache(place).get(KEY) is None


def fifo(path: Path) -> None:
    os.mkfifo(path)


def sparse(path: Path) -> None:
    path.touch(0o600)
    os.truncate(path, 3 << 30)


def folder(path: Path) -> None:
    path.mkdir()


def link(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [fifo, sparse, folder, link])
@pytest.mark.parametrize("name", [f"ab/{KEY}", SECRET_NAME])
def test_what_is_no_small_regular_file_is_neither_read_nor_waited_for(place: Path, make: Callable[[Path], None], name: str) -> None:
    (place / name).unlink()
    make(place / name)
    begin, cache = time.process_time(), ObjectCache(place)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert cache.get(KEY) is None
        cache.put(KEY, OBJECT)
        assert cache.get(KEY) == (None if make is folder and name != SECRET_NAME else OBJECT)
    assert time.process_time() - begin < 1


def test_an_object_beyond_the_limit_is_not_kept(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    cache.put(KEY, bytes(MAX_OBJECT + 1))
    assert cache.get(KEY) is None


def test_a_directory_that_was_removed_and_made_again_is_used_again(place: Path) -> None:
    cache = ObjectCache(place)
    assert cache.get(KEY) == OBJECT
    shutil.rmtree(place)
    assert cache.get(KEY) is None
    ObjectCache(place).put(KEY, b"newer")
    assert cache.get(KEY) == b"newer"
    shutil.rmtree(place)
    cache.put(KEY, b"newest")
    assert ObjectCache(place).get(KEY) == b"newest"


def test_the_environment_turns_every_cache_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CACHE_DIR", str(tmp_path))
    assert default_cache() is not None
    monkeypatch.setenv("TGSI_CACHE", "off")
    assert default_cache() is None
    assert resolve_cache(tmp_path) is None
    monkeypatch.setenv("TGSI_CACHE", "of")
    with pytest.raises(ValueError, match="TGSI_CACHE: 'of' is neither on nor off"):
        default_cache()


PROGRAM = """
import os, sys
from backends.llvm.engine.object_cache import ObjectCache
cache = ObjectCache(sys.argv[1])
cache.put("ab" + 62 * "0", b"x")
print(cache._root, flush=True)
if os.fork() == 0:
    sys.exit()
os.wait()
print(os.path.isdir(cache._root))
"""


def test_the_temporary_directory_ends_with_the_process_that_made_it(place: Path) -> None:
    place.chmod(0o777)
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(place)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    temporary, survived = said.stdout.split()
    assert temporary != str(place)
    assert survived == "True"
    assert not Path(temporary).exists()
