"""Emitted GLSL on Mesa's llvmpipe agrees with our JIT, for the corpus that Mesa made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tgsi

moderngl = pytest.importorskip("moderngl", reason="moderngl is not installed")

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
if not CORPUS.is_dir():
    CORPUS = Path("/work/shared/corpus")
pytestmark = [pytest.mark.peers, pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not there")]

OPEN = {
    "GEOM-8c8dfabf52089829": "no outputs to capture",
    "FRAG-d8fcb32c9fb5bf24": "differences between the pixels of FragCoord, which points of one pixel do not have",
    "FRAG-2838c5bcf41bd346": "a buffer that is not bound",
    "FRAG-3a488cf09cb6e54c": "a buffer that is not bound",
    "FRAG-825a53d389bcb09e": "a buffer that is not bound",
    "FRAG-8890cb4edc9fca6b": "a buffer that is not bound",
    "VERT-3624581c27159829": "a 1D texture that is not bound",
    "VERT-f6144561377753e1": "a 1D texture that is not bound",
}
"""Programs that this test cannot judge, and why."""

STAGES = ("VERT", "FRAG", "GEOM")


@pytest.fixture(scope="module")
def context() -> Any:
    try:
        made = moderngl.create_context(standalone=True, backend="egl", require=450)
    except Exception as error:  # moderngl raises Exception itself
        pytest.skip(f"no OpenGL 4.5 without a screen: {error}")
    if "llvmpipe" not in made.info["GL_RENDERER"]:
        pytest.skip(f"the driver is {made.info['GL_RENDERER']}, not llvmpipe")
    yield made
    made.release()


def judged(context: Any, step: int) -> tuple[int, int, dict[str, list[str]]]:
    """Programs that were run, programs that GLSL cannot say, and differences by name."""
    from tests.unit.glsl_out.llvmpipe import Judge

    runs, refused, wrong = 0, 0, {}
    for file in sorted(CORPUS.glob("*.tgsi"))[::step]:
        if not file.name.startswith(STAGES) or file.stem in OPEN:
            continue
        try:
            judge = Judge(context, tgsi.parse(file.read_text()), 7)
        except tgsi.UnsupportedError:
            refused += 1
            continue
        runs += 1
        if found := judge.differences():
            wrong[file.stem] = found
    return runs, refused, wrong


def test_every_fortieth_program_of_the_corpus_agrees_with_llvmpipe(context: Any) -> None:
    runs, _, wrong = judged(context, 40)
    assert wrong == {}
    assert runs > 20


@pytest.mark.nightly
def test_the_corpus_agrees_with_llvmpipe(context: Any) -> None:
    runs, refused, wrong = judged(context, 1)
    assert wrong == {}
    assert runs >= 950  # 957 agree, 10 cannot be said, 8 cannot be judged; 26 of other stages are not run
    assert refused <= 0.05 * (runs + refused)
