"""Pictures of the topics of OpenGL 2.1: their digests, and Debian's libOSMesa with llvmpipe as a peer."""

from __future__ import annotations

import json

import pytest

from tests.osmesa.mesa import LIBRARY, pictures
from tests.osmesa.ours import DIGESTS, difference, digest, drawn
from tests.osmesa.topics import TOPICS
from tests.unit.glsl.glslang import needs_glslang

EDGES = 0.02
"""Share of pixels that may differ: those at edges, where the two rasterizers snap vertices to different places."""
MORE = {"smooth_points_and_lines": 0.05, "levels_of_textures": 0.06}
"""Topics in which more may: the specification leaves coverage of smooth points and lines, and the choice of levels, to some degree open."""
BY_DAY = ("matrices_and_their_stacks", "pixels_with_zoom", "the_accumulation_buffer")

STORED = json.loads(DIGESTS.read_text())


def test_every_topic_has_a_digest() -> None:
    assert set(STORED) == set(TOPICS)
    assert len(TOPICS) >= 40


@pytest.mark.parametrize("name", BY_DAY)
def test_a_topic_has_its_digest(name: str) -> None:
    assert digest(drawn(name)) == STORED[name]


@needs_glslang
@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in TOPICS if name not in BY_DAY])
def test_every_other_topic_has_its_digest(name: str) -> None:
    assert digest(drawn(name)) == STORED[name]


@needs_glslang
@pytest.mark.nightly
@pytest.mark.peers
@pytest.mark.skipif(not LIBRARY.exists(), reason="Debian's package libosmesa6 is not installed")
def test_mesa_draws_the_same_pictures() -> None:
    theirs = pictures()
    apart = {name: difference(drawn(name), theirs[name]) for name in TOPICS}
    assert {name: found for name, found in apart.items() if found[0] > MORE.get(name, EDGES) or found[1] > 6} == {}
