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


def _matrix_of_zeros(stage: Stage) -> None:
    vs = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL CONST[0..3]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL TEMP[0]\n"
    vs += "MUL TEMP[0], CONST[0], IN[0].xxxx\nMAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]\nMAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]\n"
    stage.programs(vs + "ADD OUT[0], TEMP[0], CONST[3]\nMOV OUT[1], IN[1]\nEND\n", FS)
    stage.ctx.set_constant_buffer("VERTEX", bytes(64))
    stage.triangle()


def _w_is_zero(stage: Stage) -> None:
    vs = VS.replace("DCL OUT[0]", "IMM[0] FLT32 {0, 0, 0, 0}\nDCL OUT[0]")
    vs = vs.replace("MOV OUT[0], IN[0]", "MOV OUT[0].xyz, IN[0]\nMOV OUT[0].w, IMM[0].xxxx")
    stage.programs(vs, FS)
    stage.triangle()


def _not_a_number(stage: Stage) -> None:
    stage.triangle([[float("nan"), 0], [1, 0], [0, 1]])


def _positions_in_pixels(stage: Stage) -> None:
    stage.triangle([[100, 100], [200, 100], [100, 200]])


def _no_vertex_buffer(stage: Stage) -> None:
    stage.ctx.draw_vbo(mode="TRIANGLES", count=3)


def _no_vertex_elements(stage: Stage) -> None:
    stage.ctx.bind_vertex_elements_state(None)
    stage.triangle()


def _behind_the_viewer(stage: Stage) -> None:
    stage.programs(VS.replace("MOV OUT[0], IN[0]", "MOV OUT[0].xyz, IN[0]\nMOV OUT[0].w, -IN[0].wwww"), FS)
    stage.triangle()


def _count_below_three(stage: Stage) -> None:
    stage.triangle(count=2)


def _alpha_test(stage: Stage) -> None:
    stage.tests(alpha={"enabled": True, "func": "GREATER", "ref_value": 0.5})
    stage.triangle(color=(1, 1, 1, 0.25))


def _degenerate(stage: Stage) -> None:
    stage.triangle([[-1, -1], [1, 1], [0, 0]])


MISTAKES = (
    Mistake("the matrix is all zeros", _matrix_of_zeros, ("matrix is all zeros",)),
    Mistake("w is 0", _w_is_zero, ("w of 0",)),
    Mistake("a position is NaN", _not_a_number, ("NaN",)),
    Mistake("positions are in pixels", _positions_in_pixels, ("in pixels",)),
    Mistake("no vertex buffer is bound", _no_vertex_buffer, ("no vertex buffer",)),
    Mistake("no vertex elements are bound", _no_vertex_elements, ("no vertex element",)),
    Mistake("everything lies behind the viewer", _behind_the_viewer, ("behind the viewer",)),
    Mistake("the count is too small for the mode", _count_below_three, ("count",)),
    Mistake("the alpha test rejects everything", _alpha_test, ("alpha test",)),
    Mistake("the triangle has no area", _degenerate, ("no area",)),
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
