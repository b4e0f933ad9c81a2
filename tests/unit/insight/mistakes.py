"""Mistakes of beginners: a program of each, and a word that an explanation, or a warning, of it has to say."""

from __future__ import annotations

from collections.abc import Callable

from tests.unit.insight.programs import FS, FS_CONSTANT, VS, Stage
from tgsi.language.record import record

LESS = {"depth": {"enabled": True, "writemask": True, "func": "LESS"}}


@record
class Mistake:
    """A mistake.

    draw: makes it. says: words of the first sentence of `explain` in the middle of the target, any of them.
    """

    name: str
    draw: Callable[[Stage], None]
    says: tuple[str, ...]


def _never_cleared(stage: Stage) -> None:
    stage.tests(**LESS)
    stage.triangle()


def _culled(stage: Stage) -> None:
    stage.rasterizer(cull_face="FRONT", front_ccw=True)
    stage.ctx.clear("COLOR", color=(0, 0, 0, 1))
    stage.triangle()


def _uniform_missing(stage: Stage) -> None:
    stage.programs(VS, FS_CONSTANT)
    stage.triangle()


def _texture_missing(stage: Stage) -> None:
    stage.programs(
        VS,
        FS.replace("DCL OUT", "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL OUT").replace(
            "MOV OUT[0], IN[0]", "TEX OUT[0], IN[0], SAMP[0], 2D"
        ),
    )
    stage.triangle()


def _scissor_never_set(stage: Stage) -> None:
    stage.rasterizer(scissor=True)
    stage.triangle()


def _mask_of_nothing(stage: Stage) -> None:
    stage.blend(colormask=0)
    stage.triangle()


def _count_forgotten(stage: Stage) -> None:
    stage.triangle(count=0)


def _cleared_after(stage: Stage) -> None:
    stage.triangle()
    stage.ctx.clear("COLOR", color=(0, 0, 0, 1))


def _behind_the_far_plane(stage: Stage) -> None:
    stage.triangle(z=1.5)


def _sample_mask_of_nothing(stage: Stage) -> None:
    stage.ctx.set_sample_mask(0)
    stage.triangle()


def _all_discarded(stage: Stage) -> None:
    stage.programs(VS, "FRAG\nDCL OUT[0], COLOR\nKILL\nEND\n")
    stage.triangle()


def _other_name(stage: Stage) -> None:
    stage.programs(VS.replace("GENERIC[0]", "GENERIC[3]"), FS)
    stage.triangle()


def _rasterizer_discard(stage: Stage) -> None:
    stage.rasterizer(rasterizer_discard=True)
    stage.triangle()


def _stencil_never_set(stage: Stage) -> None:
    stage.tests(stencil=[{"enabled": True, "func": "EQUAL", "valuemask": 255}, {}])
    stage.ctx.set_stencil_ref(1)
    stage.triangle()


MISTAKES = (
    Mistake("the depth buffer was never cleared", _never_cleared, ("depth test",)),
    Mistake("the winding is the other one", _culled, ("cull",)),
    Mistake("a uniform was never set", _uniform_missing, ("no constant buffer",)),
    Mistake("a texture was never bound", _texture_missing, ("no texture",)),
    Mistake("the scissor is on and was never set", _scissor_never_set, ("scissor",)),
    Mistake("the color mask lets nothing through", _mask_of_nothing, ("mask",)),
    Mistake("the count is 0", _count_forgotten, ("count",)),
    Mistake("the clear comes after the draw", _cleared_after, ("clear", "replaced")),
    Mistake("everything lies behind the far plane", _behind_the_far_plane, ("far plane",)),
    Mistake("the sample mask is 0", _sample_mask_of_nothing, ("sample mask",)),
    Mistake("the shader discards everything", _all_discarded, ("discard",)),
    Mistake("an input has another name than the output", _other_name, ("nothing writes",)),
    Mistake("rasterizer_discard was left on", _rasterizer_discard, ("rasterizer_discard",)),
    Mistake("the stencil buffer has not the reference", _stencil_never_set, ("stencil",)),
)
"""The table. A mistake that a warning names, too, belongs here once."""
