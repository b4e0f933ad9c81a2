"""Many pairs of shaders, each drawn once and destroyed: the memory kept for them is bounded."""

from __future__ import annotations

import gc

import pytest

from backends.llvm.engine import engine
from backends.llvm.engine.engine import Library
from tests.unit.picture import STRIP, Picture

VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] FLT32 {{{}.0, 1.0, 1.0, 1.0}}\n"
VERTEX += "MOV OUT[0], IN[0]\nADD OUT[1], IN[0], IMM[0]\nEND\n"
FRAGMENT = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{{}.5, 1.0, 1.0, 1.0}}\n"
FRAGMENT += "MUL OUT[0], IN[0], IMM[0]\nEND\n"
MOST_KEPT = 3000  # kernels: those of the process (1024), and those of templates until the next sweep


def _libraries() -> dict[int, Library]:
    return {id(item): item for item in gc.get_objects() if isinstance(item, Library)}


@pytest.mark.nightly
def test_what_is_kept_of_many_pairs_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, made = engine.compile_object, {}

    def once(module, cpu=None):  # type: ignore[no-untyped-def]  # every pair gets the code of the first one
        if module.name not in made:
            made[module.name] = compiled(module, cpu=cpu)
        return made[module.name]

    others = _libraries()  # kernels of other tests, which caches of the process keep, one for each machine and level
    monkeypatch.setenv("TGSI_CACHE", "off")
    monkeypatch.setattr(engine, "compile_object", once)
    picture = Picture().draw("FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n", points=STRIP)
    ctx, kept = picture.ctx, []
    for number in range(4000):
        pair = ctx.create_vs_state(VERTEX.format(number)), ctx.create_fs_state(FRAGMENT.format(number))
        ctx.bind_vs_state(pair[0])
        ctx.bind_fs_state(pair[1])
        ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)
        ctx.bind_vs_state(None)
        ctx.bind_fs_state(None)
        ctx.destroy_vs_state(pair[0])
        ctx.destroy_fs_state(pair[1])
        if number % 500 == 499:
            ctx.flush()
            gc.collect()
            kept.append(len(_libraries().keys() - others.keys()))
    assert 0 < max(kept) < MOST_KEPT < 2 * 4000, kept
