"""Transform feedback through the protocol: a target that comes again goes on, a new one begins at its start."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vtest.encoder import COVER, PASS_VS, VERTEX, Commands, Runner, draw, target, vertices

POSITIONS = (1, 4, 0, 0, 0, 0 | 0 << 8 | 4 << 10, 0)  # one output: four channels of register 0 to buffer 0; vertices are four words apart
OTHERS = ((5, 5), (6, 6), (7, 7))
BYTES = 6 * 16


@pytest.mark.parametrize(("second", "places"), [(6, [-1, 3, -1, 5, 6, 7]), (7, [5, 6, 7, 0, 0, 0])])
def test_feedback_that_was_paused_goes_on_and_a_new_target_begins_at_0(serve: Runner, second: int, places: list[int]) -> None:
    stream = target().buffer(2, vertices(*COVER)).buffer(3, vertices(*OTHERS)).buffer(4, bytes(BYTES), bind=1 << 11)
    commands = Commands().shader(23, VERTEX, PASS_VS, POSITIONS).add("BIND_SHADER", 23, VERTEX)
    for handle in (6, 7):
        commands.create("STREAMOUT_TARGET", handle, 4, 0, BYTES)
    for handle, buffer in ((6, 2), (second, 3)):
        commands.add("SET_STREAMOUT_TARGETS", 0, handle).add("SET_VERTEX_BUFFERS", 32, 0, buffer).add("DRAW_VBO", *draw())
        commands.add("SET_STREAMOUT_TARGETS", 0)
    result = serve(stream.submit(commands).get(4, 0, (0, 0, 0, BYTES, 1, 1), BYTES))
    assert not result.lines
    found = np.frombuffer(result.replies[-BYTES:], np.float32).reshape(6, 4)
    assert found[:, 0].tolist() == places
