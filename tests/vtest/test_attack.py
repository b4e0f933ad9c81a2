"""A real server survives mutated streams."""

from __future__ import annotations

import os

import pytest

from tests.vtest.attack import prepare, run

pytestmark = pytest.mark.slow
STREAMS = int(os.environ.get("TGSI_STREAMS", "500"))
"""Streams of the nightly run."""


def test_a_server_survives_mutated_streams_and_serves_another_client_meanwhile() -> None:
    counts = run(range(24))
    assert counts["streams"] == 24
    assert counts["refused commands"] > 24


@pytest.mark.nightly
def test_a_server_survives_many_mutated_streams() -> None:
    run(range(1000, 1000 + STREAMS))
    assert prepare().server.process.poll() is None
