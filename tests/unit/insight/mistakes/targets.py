"""Mistakes with targets, layers and the order of calls."""

from __future__ import annotations

from tests.unit.insight.mistakes.sketch import BLACK, FS, Sketch, mistake

VS_LAYER = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], LAYER
IMM[0] UINT32 {%d, 0, 0, 0}
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2].x, IMM[0].xxxx
END
"""


@mistake(warns="no framebuffer is bound")
def no_framebuffer(s: Sketch) -> None:
    s.target = s.color()
    s.viewport()
    s.triangle()


@mistake(warns="drawn to at the same time", explains="drawn to at the same time")
def reads_its_own_target(s: Sketch) -> None:
    t = s.frame()
    s.ctx.set_sampler_views("FRAGMENT", [s.ctx.create_sampler_view(t)])
    s.ctx.bind_sampler_states("FRAGMENT", [s.ctx.create_sampler_state()])
    s.quad()


@mistake(warns="writes LAYER", explains="layer 2")
def layer_of_one_layer_surface(s: Sketch) -> None:
    a = s.screen.resource_create(target="TEXTURE_2D_ARRAY", format="R8G8B8A8_UNORM", width0=64, height0=64, array_size=4)
    s.bind(s.ctx.create_surface(a, first_layer=0, last_layer=0))
    s.viewport()
    s.ctx.clear("COLOR", color=BLACK)
    s.triangle(vs=VS_LAYER % 2)
    s.target, s.layer = (a, 2)


@mistake(explains="LAYER 7, beyond the last one, 3")
def layer_beyond(s: Sketch) -> None:
    a = s.screen.resource_create(target="TEXTURE_2D_ARRAY", format="R8G8B8A8_UNORM", width0=64, height0=64, array_size=4)
    s.bind(a)
    s.viewport()
    s.ctx.clear("COLOR", color=BLACK)
    s.triangle(vs=VS_LAYER % 7)
    s.target, s.layer = (a, 3)


@mistake(warns="no depth buffer is bound", explains="no depth buffer is bound")
def depth_test_without_buffer(s: Sketch) -> None:
    s.frame()
    s.less()
    s.triangle()


@mistake(explains="it writes no COLOR[0]")
def writes_color_1_only(s: Sketch) -> None:
    s.frame()
    s.triangle(fs=FS.replace("COLOR", "COLOR[1]"))


@mistake(explains="it writes no COLOR[1]")
def second_target_not_written(s: Sketch) -> None:
    s.frame()
    a, c = (s.color(), s.color())
    s.bind(a, c)
    s.ctx.clear("COLOR", color=BLACK)
    s.triangle()
    s.target = c


@mistake(explains="clear (call 12) replaced")
def clear_after_draw(s: Sketch) -> None:
    s.frame()
    s.triangle()
    s.ctx.clear("COLOR", color=BLACK)


@mistake(explains="resolve it with blit")
def resolve_forgotten(s: Sketch) -> None:
    one = s.color()
    s.frame(nr_samples=4)
    s.raster(multisample=True)
    s.triangle()
    s.target = one
    one.pixels()


@mistake(explains="render condition skips it")
def render_condition_left_on(s: Sketch) -> None:
    s.frame()
    q = s.ctx.create_query("OCCLUSION_PREDICATE")
    s.ctx.begin_query(q)
    s.ctx.end_query(q)
    s.ctx.render_condition(q)
    s.triangle()


@mistake(warns="different sizes", explains="ends before it")
def depth_buffer_smaller(s: Sketch) -> None:
    c = s.color()
    z = s.color("Z24X8_UNORM", bind="DEPTH_STENCIL", width0=32, height0=32)
    s.bind(c, zsbuf=z)
    s.viewport()
    s.ctx.clear("COLOR|DEPTH", color=BLACK)
    s.triangle()
    s.at = (48, 40)


@mistake(explains="another target, 64 x 64")
def saved_the_wrong_target(s: Sketch) -> None:
    other = s.color()
    s.frame()
    s.triangle()
    s.target = other
    other.pixels()
