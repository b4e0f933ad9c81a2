from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Objects of these tests do not land in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TGSI_CACHE_DIR", str(tmp_path_factory.mktemp("objects")))
        yield
