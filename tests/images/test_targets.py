"""Targets of every format have the same bytes under every color mask and stencil write mask, for any lanes and level of the processor.

A target's bytes depend on its format, mask and blending, not on the targets beside it, so one digest serves every way to draw it.
`pytest tests/images/test_targets.py --update-golden` rewrites target_digests.json at this machine's own lanes and level.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backends.formats import ChannelType, Format
from backends.formats.arrays import pack, pack_depth_stencil
from backends.gallium.resource.format_support import is_color_target, is_depth_target
from backends.pipe.enums import BlendFactor, BlendFunc, ColorMask, CompareFunc, LogicOp, StencilOp
from backends.pipe.state import BlendState, DepthState, DepthStencilAlphaState, RenderTargetBlend, StencilState
from backends.raster.draw.packet import FEW
from tests.images.scenes import soup
from tests.levels import LANES, LEVELS, need
from tests.unit.raster.canvas import VS_COLOR, Canvas, pixels

DIGESTS = Path(__file__).parent / "target_digests.json"
WIDTH, HEIGHT = 72, 40
COLORS = [f for f in Format if is_color_target(f) and not any(c.type in (ChannelType.USCALED, ChannelType.SSCALED) for c in f.channels)]
DEPTHS = [f for f in Format if is_depth_target(f)]
MASKS = (1, 2, 5, 10, 15)
GROUPS = (MASKS, (3, 6, 9, 12, 14), (4, 7, 8, 11, 13), *((mask,) for mask in MASKS))
WIDER = Format.R32G32B32A32_FLOAT
RENDER_LANES = [lanes for lanes in LANES if lanes >= 8]
EVERYWHERE = [(lanes, level) for level in LEVELS for lanes in (None, *RENDER_LANES)]

FS = """FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
"""
FS_INTEGER = """FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {300.0, -20.0, 0.0, 0.0}
MAD TEMP[0], IN[0], IMM[0].xxxx, IMM[0].yyyy
F2I OUT[0], TEMP[0]
END
"""
OVER: dict[str, Any] = {
    "blend_enable": True,
    "rgb_src_factor": BlendFactor.SRC_ALPHA,
    "alpha_src_factor": BlendFactor.SRC_ALPHA,
    "rgb_dst_factor": BlendFactor.INV_SRC_ALPHA,
    "alpha_dst_factor": BlendFactor.INV_SRC_ALPHA,
}
APART: dict[str, Any] = {
    "blend_enable": True,
    "rgb_dst_factor": BlendFactor.ONE,
    "alpha_func": BlendFunc.REVERSE_SUBTRACT,
    "alpha_dst_factor": BlendFactor.DST_ALPHA,
}
BLENDINGS: tuple[dict[str, Any], ...] = ({}, OVER, APART)


@cache
def triangles() -> tuple[NDArray[Any], NDArray[Any]]:
    """Positions and colors of a few large triangles and many small ones."""
    both = soup(6, 0.6, 5), soup(120, 0.05, 6)
    return np.concatenate([position for position, _ in both]), np.concatenate([color for _, color in both])


def short(surface: Any) -> str:
    return hashlib.sha256(pixels(surface).tobytes()).hexdigest()[:12]


# -- colors -----------------------------------------------------------------------------------------------------------
def fill(surface: Any) -> None:
    """Fill a target with random texels of its format, padding included."""
    random, count = np.random.default_rng(9), WIDTH * HEIGHT
    if surface.format.is_integer or not any(c.type is ChannelType.FLOAT for c in surface.format.channels):
        pixels(surface)[:] = random.integers(0, 256, pixels(surface).shape)
    else:
        pixels(surface)[:] = pack(surface.format, random.uniform(-0.5, 1.5, (count, 4)).astype("f4")).reshape(HEIGHT, WIDTH, -1)


def color_digests(
    format: Format, masks: Sequence[int], lanes: int | None, cpu: str, *, wider: bool, at_once: bool = True
) -> dict[str, str]:
    """Digest of a target for each color mask, drawn side by side, perhaps with a wider target.

    Draws of few triangles, without `at_once`, have kernels of half the size, for runs of pixels alone.
    """
    formats = [*[format] * len(masks), *[WIDER] * wider]
    first = COLORS.index(format)
    rt = [RenderTargetBlend(colormask=ColorMask(m), **BLENDINGS[(first + m) % 3] if not format.is_integer else {}) for m in masks]
    state = BlendState((*rt, *[RenderTargetBlend()] * wider), independent_blend_enable=True)
    with Canvas(WIDTH, HEIGHT, color=formats, lanes=lanes, cpu=cpu) as c:
        for surface in c.colors:
            fill(surface)
        step = len(triangles()[0]) if at_once else 3 * FEW
        for start in range(0, len(triangles()[0]), step):
            part = [array[start : start + step] for array in triangles()]
            c.draw_arrays(VS_COLOR, FS_INTEGER if format.is_integer else FS, part, blend=state)
        c.flush()
        return {str(mask): short(surface) for mask, surface in zip(masks, c.colors)}


def logic_digest(format: Format, lanes: int | None, cpu: str) -> dict[str, str]:
    """Digest of a target that a logic operation changes under a color mask."""
    state = BlendState((RenderTargetBlend(colormask=ColorMask(5)),), logicop_enable=True, logicop_func=LogicOp.EQUIV)
    with Canvas(WIDTH, HEIGHT, color=(format,), lanes=lanes, cpu=cpu) as c:
        fill(c.colors[0])
        c.draw_arrays(VS_COLOR, FS_INTEGER if format.is_integer else FS, triangles(), blend=state)
        c.flush()
        return {"EQUIV": short(c.colors[0])}


# -- depth and stencil ------------------------------------------------------------------------------------------------
def stencil_states() -> Iterator[tuple[str, DepthStencilAlphaState]]:
    """States of every operation and of partial write masks, of one face and of two, by name."""
    funcs = itertools.cycle((CompareFunc.ALWAYS, CompareFunc.LESS, CompareFunc.NOTEQUAL))
    for op, writemask in itertools.product(StencilOp, (1, 15, 240, 255)):
        func = next(funcs)
        front = StencilState(enabled=True, func=func, zpass_op=op, zfail_op=StencilOp.INVERT, valuemask=63, writemask=writemask)
        back = StencilState(enabled=True, fail_op=op, zpass_op=StencilOp.REPLACE, valuemask=255, writemask=255 - writemask)
        for faces in ((front,), (front, back)):
            stencil = (*faces, *[StencilState()] * (2 - len(faces)))
            depth = DepthState(writemask != 15, op is not StencilOp.ZERO, CompareFunc.LEQUAL)
            yield f"{op.name} {writemask} {len(faces)}", DepthStencilAlphaState(depth=depth, stencil=stencil)


def depth_digests(format: Format, names: Sequence[str], lanes: int | None, cpu: str) -> dict[str, str]:
    """Digest of a depth-stencil buffer for each state."""
    found, states = {}, dict(stencil_states())
    for name in names:
        with Canvas(WIDTH, HEIGHT, depth=format, lanes=lanes, cpu=cpu) as c:
            random, surface = np.random.default_rng(3), c.depth_surface
            assert surface is not None
            depth = random.uniform(0, 1, WIDTH * HEIGHT).astype("f4") if format.has_depth else None
            stencil = random.integers(0, 256, WIDTH * HEIGHT).astype("u1") if format.has_stencil else None
            pixels(surface)[:] = pack_depth_stencil(format, depth, stencil).reshape(HEIGHT, WIDTH, -1)
            c.draw_arrays(VS_COLOR, FS, triangles(), depth_stencil_alpha=states[name], stencil_ref=(77, 12))
            c.flush()
            found[name] = short(surface)
    return found


# -- tests ------------------------------------------------------------------------------------------------------------
def known(format: Format) -> dict[str, str]:
    digests: dict[str, dict[str, str]] = json.loads(DIGESTS.read_text())
    return digests[format.name]


def test_digests_are_known_for_every_target(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        rows: dict[str, dict[str, str]] = {}
        for f in COLORS:
            rows[f.name] = {k: v for g in GROUPS[:3] for k, v in color_digests(f, g, None, "host", wider=False).items()}
            rows[f.name] |= logic_digest(f, None, "host")
        for f in DEPTHS:
            rows[f.name] = depth_digests(f, [name for name, _ in stencil_states()], None, "host")
        lines = (f" {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        DIGESTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    assert {f: len(known(f)) for f in COLORS} == dict.fromkeys(COLORS, 16)
    assert {f: len(known(f)) for f in DEPTHS} == dict.fromkeys(DEPTHS, 64)


@pytest.mark.light
@pytest.mark.parametrize("format", COLORS, ids=str)
def test_masked_colors_have_their_bytes(format: Format) -> None:
    """By day, all masks alone, and one with a wider target; some formats also in small triangles."""
    number = COLORS.index(format)
    found = color_digests(format, MASKS, None, "host", wider=False, at_once=number % 8 == 0)
    assert found == {k: v for k, v in known(format).items() if k in found}
    (mask,) = beside = color_digests(format, [MASKS[number % 5]], None, "host", wider=True, at_once=False)
    assert beside[mask] == found[mask]


@pytest.mark.light
@pytest.mark.parametrize("format", DEPTHS, ids=str)
def test_masked_stencil_has_its_bytes(format: Format) -> None:
    names = [name for name, _ in stencil_states()][::13]
    found = depth_digests(format, names, None, "host")
    assert found == {k: v for k, v in known(format).items() if k in found}


def share(formats: Sequence[Format], lanes: int | None, level: str) -> Sequence[Format]:
    """Every fifth format, so that each meets each level once, each time with another number of lanes."""
    number = EVERYWHERE.index((lanes, level))
    return formats[(number + number // 5) % 5 :: 5]


@pytest.mark.nightly
@pytest.mark.parametrize(("lanes", "level"), EVERYWHERE)
def test_masked_colors_have_their_bytes_at_every_level(lanes: int | None, level: str) -> None:
    need(level)
    wrong = []
    for format in share(COLORS, lanes, level):
        rows = [color_digests(format, g, lanes, level, wider=wider) for g in GROUPS for wider in (False, True)]
        rows.append(logic_digest(format, lanes, level))
        wrong += [(format.name, key) for row in rows for key, value in row.items() if value != known(format)[key]]
    assert wrong == []


@pytest.mark.nightly
@pytest.mark.parametrize(("lanes", "level"), EVERYWHERE)
def test_masked_stencil_has_its_bytes_at_every_level(lanes: int | None, level: str) -> None:
    need(level)
    names, wrong = [name for name, _ in stencil_states()], []
    for format in share(DEPTHS, lanes, level):
        wrong += [(format.name, key) for key, value in depth_digests(format, names, lanes, level).items() if value != known(format)[key]]
    assert wrong == []
