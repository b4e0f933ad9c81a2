"""Fixtures: a screen for the tests of the server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.vtest.encoder import Result, Runner, Stream, run
from tgsi.gallium import Screen


@pytest.fixture(scope="session")
def screen() -> Iterator[Screen]:
    with Screen(0) as made:
        yield made


@pytest.fixture
def serve(screen: Screen) -> Runner:
    """Function that runs a stream."""

    def work(stream: Stream) -> Result:
        return run(screen, stream)

    return work
