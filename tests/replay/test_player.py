"""The player's table of handlers."""

from __future__ import annotations

from tgsi.replay.ops import OPS
from tgsi.replay.replay import HANDLERS


def test_every_op_has_a_handler_and_no_other() -> None:
    assert set(HANDLERS) == set(OPS)
