"""Mutated traces give pages with our script alone, or are refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import tgsi
from backends.device.calls.errors import RecordingError
from backends.gallium.tracing.steps import Step, read_steps, write_steps
from tests.fuzz.test_hostile_traces import is_small, make_trace, mutated
from tests.inspect.parsed import Parsed
from tests.inspect.test_pages import EVIL
from tests.unit.gallium.test_traces import Traced
from tgsi.tools.inspect.sources import Recording, readable
from tgsi.tools.inspect.writing import write_page

pytestmark = pytest.mark.light


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> bytearray:
    """A trace whose texts try to become script."""
    folder = tmp_path_factory.mktemp("hostile")
    steps = list(read_steps(make_trace(folder / "a.trace")))
    with tgsi.Screen(threads=0) as screen:
        stage = Traced(screen, folder / "b.trace")
        stage.ctx.emit_string_marker(EVIL * 3)
        stage.ctx.create_fs_state(f"FRAG\n# {EVIL.splitlines()[0]}\nDCL OUT[0], COLOR\nDCL CONST[0][0]\nMOV OUT[0], CONST[0][0]\nEND\n")
        stage.ctx.destroy()
    evil: list[Step] = [step for step in read_steps(bytearray((folder / "b.trace").read_bytes())) if step.name == "emit_string_marker"]
    return bytearray(write_steps([*evil, *steps[:20], *evil, *steps[20:]]))


def sweep(trace: bytearray, count: int, seed: int, folder: Path) -> dict[str, int]:
    rng, counts = random.Random(seed), {"pages": 0, "refused": 0}
    page = folder / "a.html"
    with tgsi.Screen(threads=0) as screen:
        while sum(counts.values()) < count:
            mutant = mutated(trace, rng)
            if not is_small(mutant):
                continue
            try:
                steps, error = readable(mutant)
            except RecordingError as error:
                raise AssertionError("`readable` returns errors") from error
            if not steps:
                assert error is not None
                counts["refused"] += 1
                continue
            write_page(screen, Recording("a.trace", steps, end=str(error or "")), page, [(3, 3)])
            found = Parsed(page.read_text(encoding="utf-8"))
            assert [kind for kind, _ in found.scripts] == ["application/json", ""]
            assert found.handlers == []
            assert set(found.tags) == {"html", "head", "meta", "title", "style", "body", "div", "script"}
            counts["pages"] += 1
    return counts


def test_mutated_traces_give_pages_without_their_script(trace: bytearray, tmp_path: Path) -> None:
    assert sweep(trace, 8, 1, tmp_path)["pages"] >= 4


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(5))
def test_many_mutated_traces_give_pages_without_their_script(trace: bytearray, tmp_path: Path, seed: int) -> None:
    assert sweep(trace, 100, seed, tmp_path)["pages"] >= 60
