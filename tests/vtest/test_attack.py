"""A real server survives mutated streams: a few of the campaign's."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.campaigns.attack import attempt, prepare

pytestmark = pytest.mark.slow


def test_a_server_survives_mutated_streams_and_serves_another_client_meanwhile() -> None:
    try:
        outcomes = sum(map(attempt, range(24)), Counter[str]())
    finally:
        prepare().close()  # workers of pytest end without atexit
    assert outcomes.total() == 24
    assert outcomes["refused commands"] > 8
