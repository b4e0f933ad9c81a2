"""Parsed modules end with the tests of this folder: their million nodes make each full garbage collection take a second."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.imports import trees


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    if nextitem is None or not nextitem.path.is_relative_to(Path(__file__).parent):
        trees.cache_clear()
