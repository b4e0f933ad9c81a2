"""Commands that copy between resources."""

from __future__ import annotations

from backends.gallium.resource.resource import Box
from backends.pipe.enums import ColorMask, TexFilter, lookup
from backends.pipe.state import ScissorState
from tgsi.tools.vtest.commands.resources import format_of, plain_format_of
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import Words, command
from tgsi.tools.vtest.protocol.boxes import box_of
from tgsi.tools.vtest.protocol.numbers import signed

_SIZES = "x y z width height depth"


def _prefixed(prefix: str) -> str:
    return " ".join(f"{prefix}_{name}" for name in _SIZES.split())


@command("RESOURCE_COPY_REGION", f"dst_res_handle dst_level dst_x dst_y dst_z src_res_handle src_level {_prefixed('src')}")
def _copy_region(sub: SubContext, words: Words) -> None:
    dst, dst_level, x, y, z, src, src_level, *box = words
    sub.gallium.resource_copy_region(
        sub.resource(dst, "dst_res_handle"),
        sub.resource(src, "src_res_handle"),
        dst_level=dst_level,
        dstx=x,
        dsty=y,
        dstz=z,
        src_level=src_level,
        src_box=box_of(box),
    )


@command(
    "BLIT",
    f"s0 scissor_min scissor_max dst_res_handle dst_level dst_format {_prefixed('dst')}"
    f" src_res_handle src_level src_format {_prefixed('src')}",
)
def _blit(sub: SubContext, words: Words) -> None:
    s0, low, high, dst, dst_level, dst_format, *rest = words
    dst_box, (src, src_level, src_format), src_box = rest[:6], rest[6:9], rest[9:]
    to, of = _forward([signed(v) for v in dst_box], [signed(v) for v in src_box])
    scissor = ScissorState(low & 0xFFFF, low >> 16, high & 0xFFFF, high >> 16) if s0 >> 10 & 1 else None
    sub.gallium.blit(
        sub.resource(dst, "dst_res_handle"),
        src=sub.resource(src, "src_res_handle"),
        dst_level=dst_level,
        dst_box=to,
        dst_format=plain_format_of(dst_format, "dst_format"),
        src_level=src_level,
        src_box=of,
        src_format=format_of(src_format, "src_format"),
        mask=ColorMask(s0 & 63),
        filter=lookup(TexFilter, s0 >> 8 & 3, "s0: filter"),
        scissor=scissor,
        render_condition_enable=bool(s0 >> 11 & 1),
        alpha_blend=bool(s0 >> 12 & 1),
    )


def _forward(dst: list[int], src: list[int]) -> tuple[Box, Box]:
    """Both boxes, with the sign of a mirrored axis moved from the destination to the source."""
    for axis in range(3):
        if dst[axis + 3] < 0:
            dst[axis] += dst[axis + 3]
            dst[axis + 3] = -dst[axis + 3]
            src[axis] += src[axis + 3]
            src[axis + 3] = -src[axis + 3]
    return Box(*dst), Box(*src)
