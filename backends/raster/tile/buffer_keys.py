"""The state of color, depth and stencil buffers that changes shading code, normalized: equal keys share a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from backends.formats import ChannelType, Format
from backends.pipe.enums import BlendFactor, CompareFunc, StencilOp
from backends.pipe.state import BlendState, DepthStencilAlphaState, RenderTargetBlend, StencilState
from tgsi.language.record import record

_SRC1 = (BlendFactor.SRC1_COLOR, BlendFactor.SRC1_ALPHA, BlendFactor.INV_SRC1_COLOR, BlendFactor.INV_SRC1_ALPHA)
_COPY = 12  # LogicOp.COPY


@record
class TargetKey:
    """State of one color buffer that changes code. `blend` None: the color replaces the old one. `logicop`: its truth table."""

    format: Format
    colormask: int
    blend: RenderTargetBlend | None = None
    logicop: int | None = None

    @property
    def texel_bytes(self) -> int:
        """Bytes of a texel."""
        return self.format.block_bytes

    @property
    def reads(self) -> bool:
        """True if the stored value depends on the old one."""
        return self.blend is not None or self.logicop is not None or self.keep_words(self.format.block_words) is not None

    @property
    def wants_second(self) -> bool:
        """True if blending reads the second color (dual source blending)."""
        b = self.blend
        return b is not None and any(x in _SRC1 for x in (b.rgb_src_factor, b.rgb_dst_factor, b.alpha_src_factor, b.alpha_dst_factor))

    def keep_words(self, words: int) -> list[int] | None:
        """For each word of a texel, the bits that the color mask protects; None if it protects none.

        The mask's red bit applies to luminance and intensity.
        """
        protected = [0] * words
        for c in self.format.channels:
            source = "RGBA".find("R" if c.letter in "LI" else c.letter)
            if source >= 0 and not self.colormask >> source & 1:
                protected[c.shift // 32] |= ((1 << c.size) - 1) << (c.shift % 32)
        return protected if any(protected) else None

    @staticmethod
    def of(state: BlendState, index: int, format: Format | None) -> TargetKey | None:
        """The normalized key of color buffer `index`; None if nothing is written."""
        rt = state.target(index)
        mask = int(rt.colormask)
        if format is None or not mask:
            return None
        if state.logicop_enable:
            is_float = any(c.type is ChannelType.FLOAT for c in format.channels)
            table = None if is_float or format.is_srgb or state.logicop_func == _COPY else int(state.logicop_func)
            return TargetKey(format, mask, None, table)
        if not rt.blend_enable or format.is_integer:
            return TargetKey(format, mask)
        return TargetKey(format, mask, _normalized(rt))


TargetKeys = tuple[TargetKey | None, ...]


def target_keys(state: BlendState, formats: Iterable[Format | None], is_written: Callable[[int], bool]) -> TargetKeys:
    """The key of each color buffer; None if no buffer is bound, or the program or the color mask writes nothing."""
    return tuple(TargetKey.of(state, k, format) if is_written(k) else None for k, format in enumerate(formats))


def _normalized(rt: RenderTargetBlend) -> RenderTargetBlend | None:
    """Blend state without its color mask; None if the result is the source color."""
    factors: dict[str, Any] = {}
    for part in ("rgb", "alpha"):
        func, s, d = (getattr(rt, f"{part}_{n}") for n in ("func", "src_factor", "dst_factor"))
        factors |= {f"{part}_func": func, f"{part}_src_factor": s, f"{part}_dst_factor": d}
    plain = RenderTargetBlend(blend_enable=True)
    result = RenderTargetBlend(blend_enable=True, **factors)
    return None if result == plain else result


@record
class FaceKey:
    """The stencil test of one face; the reference value is run-time data."""

    func: CompareFunc
    fail_op: StencilOp
    zpass_op: StencilOp
    zfail_op: StencilOp
    valuemask: int
    writemask: int

    @property
    def writes(self) -> bool:
        """True if the test can change the buffer."""
        return self.writemask != 0 and any(op is not StencilOp.KEEP for op in (self.fail_op, self.zpass_op, self.zfail_op))


@record
class DepthKey:
    """Depth and stencil state that changes code. `func` None: no depth test. `stencil`: no face, one for both, or two."""

    format: Format
    func: CompareFunc | None
    write: bool
    stencil: tuple[FaceKey, ...] = ()
    bounds: bool = False

    @property
    def writes(self) -> bool:
        """True if the buffer may change."""
        return self.write or any(face.writes for face in self.stencil)

    @staticmethod
    def of(state: DepthStencilAlphaState, format: Format | None) -> DepthKey | None:
        """The normalized key of a depth buffer of format `format`; None if nothing is tested or written."""
        if format is None:
            return None
        depth, has_depth = state.depth, format.depth is not None
        func = depth.func if depth.enabled and has_depth else None
        write = depth.enabled and depth.writemask and has_depth and func is not CompareFunc.NEVER
        if func is CompareFunc.ALWAYS and not write:
            func = None
        faces: tuple[FaceKey, ...] = ()
        if format.stencil is not None and state.stencil[0].enabled:
            faces = (_face(state.stencil[0]),)
            if state.stencil[1].enabled and _face(state.stencil[1]) != faces[0]:
                faces += (_face(state.stencil[1]),)
        bounds = depth.bounds_test and has_depth
        if func is None and not faces and not bounds:
            return None
        return DepthKey(format, func, write, faces, bounds)


def _face(s: StencilState) -> FaceKey:
    return FaceKey(s.func, s.fail_op, s.zpass_op, s.zfail_op, s.valuemask & 255, s.writemask & 255)
