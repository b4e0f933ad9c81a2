"""Fixtures of the code generator's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backends.llvm.engine import engine, object_cache
from backends.llvm.engine.sources import ROOT, Sources, source_files


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep objects of these tests out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TGSI_CACHE_DIR", str(tmp_path_factory.mktemp("objects")))
        # Sources that are edited meanwhile do not matter: only these tests use the directory.
        known = Sources(source_files(), ROOT, float("inf"))
        patch.setattr(known, "are_unchanged", lambda: True)
        patch.setattr(engine, "own_sources", lambda: known)
        patch.setattr(object_cache, "own_sources", lambda: known)
        yield
