"""Options and fixtures of the whole suite."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the expected texts of filetests and other goldens")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without the garbage collector, and exempt them from later collections.

    Its thresholds are also raised: with Python's own it takes a twentieth of the time of all tests. Tests about released objects call it
    themselves.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(5000, 10, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip long tests unless -m selects them."""
    if "nightly" in config.option.markexpr:
        return
    kept = [item for item in items if item.get_closest_marker("nightly") is None]
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("nightly") is not None])
    items[:] = kept


@pytest.fixture(autouse=True, scope="session")
def _objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the compiled code of the tests, among it thousands of generated programs, out of the user's cache.

    All workers share the directory. Only this session uses it, so sources that are edited meanwhile do not matter.
    """
    from backends.llvm.engine import engine, object_cache
    from backends.llvm.engine.sources import ROOT, Sources, source_files

    place = tmp_path_factory.getbasetemp()
    known = Sources(source_files(), ROOT, float("inf"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "are_unchanged", lambda: True)
        patch.setattr(engine, "own_sources", lambda: known)
        patch.setattr(object_cache, "own_sources", lambda: known)
        patch.setenv("TGSI_CACHE_DIR", str((place.parent if "PYTEST_XDIST_WORKER" in os.environ else place) / "objects"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _all_workers() -> Iterator[None]:
    """Tests of several threads run so many, on machines with few CPUs, too."""
    from backends.device import threads

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "most_workers", lambda: 1 << 10)
        yield


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c() -> None:
    """Ctrl-C raises KeyboardInterrupt, as some tests want, even if the shell that started pytest in the background ignores the signal."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def quick_collections() -> None:
    """Full collections in a module look only at what its tests make, not at what all tests before have left in caches."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _effort(request: pytest.FixtureRequest) -> None:
    """Compile tests with the mark `light` at level 0, unless the night repeats them at the level of production."""
    if request.node.get_closest_marker("light") is not None and "light" not in request.config.option.markexpr:
        request.getfixturevalue("light_code")


@pytest.fixture
def light_code(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated programs compile at level 0; by night at the level of production."""
    from tests.effort import lower

    if request.node.get_closest_marker("nightly") is None:
        lower(monkeypatch)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Function that compares a text with a file, or writes the file with --update-golden."""
    update: bool = request.config.getoption("--update-golden")

    def compare(path: Path, text: str) -> None:
        if update:
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"{path.name} is missing: run pytest --update-golden and read what it writes"
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of measured data next to the checkout. Tests that need the folder are skipped if it is absent."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not here")
    return SHARED
