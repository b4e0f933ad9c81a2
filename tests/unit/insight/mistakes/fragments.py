"""Mistakes with the tests that take fragments away."""

from __future__ import annotations

import numpy as np

from tests.unit.insight.mistakes.sketch import BLACK, FS, RED, TRI, VS, Sketch, mistake


@mistake(warns="cull_face is BACK", explains="culled")
def winding(s: Sketch) -> None:
    s.frame()
    s.raster(cull_face="BACK", front_ccw=False)
    s.triangle()


@mistake(warns="GREATER rejects", explains="(GREATER) is false")
def depth_func_greater(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.dsa(depth={"enabled": True, "writemask": True, "func": "GREATER"})
    s.triangle()


@mistake(warns="NEVER rejects", explains="NEVER")
def depth_func_forgotten(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.dsa(depth={"enabled": True, "writemask": True})
    s.triangle()


@mistake(warns="never cleared", explains="depth test")
def depth_never_cleared(s: Sketch) -> None:
    s.frame("Z24X8_UNORM", clear=False)
    s.ctx.clear("COLOR", color=BLACK)
    s.less()
    s.triangle()


@mistake(warns="rectangle is empty", explains="the scissor is x 0 to 0")
def scissor_of_zero(s: Sketch) -> None:
    s.frame()
    s.raster(scissor=True)
    s.ctx.set_scissor_states([{"minx": 0, "miny": 0, "maxx": 0, "maxy": 0}])
    s.triangle()


@mistake(warns="the reference is 0", explains="reference 0x0 == stored 0x1")
def stencil_reference_forgotten(s: Sketch) -> None:
    s.frame("Z24_UNORM_S8_UINT")
    s.ctx.clear("STENCIL", stencil=1)
    s.dsa(stencil=[{"enabled": True, "func": "EQUAL", "valuemask": 255, "writemask": 255}, {}])
    s.triangle()


@mistake(warns="valuemask 0x0", explains="stencil test")
def stencil_value_mask_forgotten(s: Sketch) -> None:
    s.frame("Z24_UNORM_S8_UINT")
    s.ctx.clear("STENCIL", stencil=0)
    s.ctx.set_stencil_ref(1)
    s.dsa(stencil=[{"enabled": True, "func": "NOTEQUAL", "writemask": 255}, {}])
    s.triangle()


@mistake(warns="sample mask 0x0", explains="set_sample_mask(0x0)")
def sample_mask_zero(s: Sketch) -> None:
    s.frame()
    s.ctx.set_sample_mask(0)
    s.triangle()


@mistake(warns="rasterizer_discard is set", explains="rasterizer_discard is set")
def rasterizer_discard_left_on(s: Sketch) -> None:
    s.frame()
    s.raster(rasterizer_discard=True)
    s.triangle()


@mistake(explains="did not store its depth (writemask")
def depth_writes_off(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.dsa(depth={"enabled": True, "func": "LESS"})
    p = TRI.copy()
    p[:, 2] = -0.5
    s.triangle(p)
    p = TRI.copy()
    p[:, 2] = 0.5
    s.triangle(p, colors=RED[:3] * 0)


@mistake(warns="alpha test NEVER", explains="NEVER, alpha 1")
def alpha_func_forgotten(s: Sketch) -> None:
    s.frame()
    s.dsa(alpha={"enabled": True, "ref_value": 0.5})
    s.triangle()


@mistake(warns="scale[2] is 0", explains="scale[2] is 0")
def viewport_without_depth(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    s.viewport(scale=(32, -32, 0), translate=(32, 32, 0))
    s.less()
    p = TRI.copy()
    p[:, 2] = 0.5
    s.triangle(p, colors=RED[:3] * 0 + np.float32(0.1))
    p = TRI.copy()
    p[:, 2] = -0.5
    s.triangle(p)


@mistake(warns="FRONT_AND_BACK", explains="FRONT_AND_BACK")
def culls_both(s: Sketch) -> None:
    s.frame()
    s.raster(cull_face="FRONT_AND_BACK")
    s.triangle()


@mistake(warns="clip planes cut everything", explains="it is clipped by clip planes")
def clip_plane_wrong_side(s: Sketch) -> None:
    s.frame()
    s.raster(clip_plane_enable=1)
    s.ctx.set_clip_state([(0, 0, 0, -1)])
    s.triangle()


@mistake(warns="CLIPDIST", explains="it is clipped by clip distances (CLIPDIST")
def clip_distance_below_zero(s: Sketch) -> None:
    s.frame()
    s.raster(clip_plane_enable=1)
    vs = VS.replace("VERT\n", "VERT\nPROPERTY NUM_CLIPDIST_ENABLED 1\nDCL OUT[2], CLIPDIST\n")
    s.triangle(vs=vs.replace("MOV OUT[0]", "IMM[0] FLT32 {-1,0,0,0}\nMOV OUT[2].x, IMM[0].xxxx\nMOV OUT[0]"))


@mistake(explains="the stipple")
def stipple_of_zero(s: Sketch) -> None:
    s.frame()
    s.raster(poly_stipple_enable=True)
    s.ctx.set_polygon_stipple([0] * 32)
    s.triangle()


@mistake(warns="discards all", explains="discards all of it: by instruction 0")
def discards_all(s: Sketch) -> None:
    s.frame()
    s.triangle(fs=FS.replace("MOV OUT[0], IN[0]", "IMM[0] FLT32 {-1, 0, 0, 0}\nKILL_IF IMM[0].xxxx\nMOV OUT[0], IN[0]"))


@mistake(warns="no rectangle is set", explains="the scissor leaves the pixel out")
def scissor_never_set(s: Sketch) -> None:
    s.frame()
    s.raster(scissor=True)
    s.triangle()


@mistake(warns="outside of the scissor rectangle (0, 0) to (2, 2)", explains="the scissor is x 0 to 2, y 0 to 2")
def scissor_elsewhere(s: Sketch) -> None:
    s.frame()
    s.raster(scissor=True)
    s.ctx.set_scissor_states([{"minx": 0, "miny": 0, "maxx": 2, "maxy": 2}])
    s.triangle()


@mistake(warns="alpha test GREATER with 0.5", explains="the alpha test rejects all of it")
def alpha_below_the_reference(s: Sketch) -> None:
    s.frame()
    s.dsa(alpha={"enabled": True, "func": "GREATER", "ref_value": 0.5})
    s.triangle(colors=RED[:3] * np.array([1, 1, 1, 0.25], np.float32))


@mistake(explains="had written a nearer fragment, 0.25 < 0.75, and the depth test is off")
def depth_test_forgotten(s: Sketch) -> None:
    s.frame("Z24X8_UNORM")
    for z in (-0.5, 0.5):
        s.triangle(TRI + np.array([0, 0, z, 0], np.float32))
