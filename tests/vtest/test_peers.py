"""Recorded streams of other projects' programs, with the reference server's replies."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import SHARED
from tests.vtest.encoder import Stream, run
from tgsi.gallium import Screen
from tgsi.tools.vtest.output.compare import compare

STREAMS = SHARED / "peers" / "virgl" / "streams.tar.xz"
EVERY = 12  # of 746 streams; to run all: tgsi-vtest --compare --replay FOLDER/*.bin
DIFFERENT = {
    "ext_timer_query-time-elapsed": "times are never equal",
    "gl-1.0-edgeflag": "the reference fails this test of piglit, we pass",
    "point-line-no-cull": "the reference fails this test of piglit, we pass",
    "depth-tex-compare": "the reference fails this test of piglit, we pass",
    "fbo-depthstencil": "the reference fails this test of piglit, we pass",
    "arb_texture_buffer_object-render-no-bo": "what an unbound texture buffer reads is not defined",
    "primitive-restart-draw-mode": "pixels on the edges of wide lines; both pass the test of piglit",
}
pytestmark = [pytest.mark.peers, pytest.mark.slow]


def _pairs() -> Iterator[tuple[str, bytes, bytes]]:
    found: dict[str, dict[str, bytes]] = {}
    with tarfile.open(STREAMS, "r:xz") as archive:
        for member in archive:
            path = Path(member.name)
            data = archive.extractfile(member)
            if path.suffix in (".bin", ".rep") and data is not None:
                found.setdefault(path.stem, {})[path.suffix] = data.read()
    for name in sorted(found)[::EVERY]:
        yield name, found[name][".bin"], found[name][".rep"]


@pytest.mark.skipif(not STREAMS.exists(), reason="../shared/peers/virgl/streams.tar.xz is not there")
def test_recorded_streams_run_without_an_error_and_give_the_recorded_replies(screen: Screen) -> None:
    wrong = []
    for name, data, replies in _pairs():
        stream = Stream()
        stream.data = bytearray(data)
        result = run(screen, stream)
        if result.lines:
            wrong.append(f"{name}: {result.lines[0]}")
        elif not any(part in name for part in DIFFERENT) and not compare(data, result.replies, replies).is_equal:
            wrong.append(f"{name}: other replies")
    assert not wrong
