"""Events in the history of a pixel: calls, their fragments, and the fate of each fragment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, field
from enum import StrEnum
from typing import Any

from tgsi.language.record import record


class Verdict(StrEnum):
    """The four answers about a pixel."""

    NOTHING_DREW = "nothing drew there"
    REJECTED = "all was rejected"
    WRITTEN = "the shader wrote this"
    REPLACED = "a later call replaced it"


class Fate(StrEnum):
    """Fates of a fragment, or of one of its samples, in the order of the pipeline: later members came farther."""

    CULLED = "culled"
    RASTERIZER_DISCARD = "rasterizer discard"
    OTHER_LAYER = "another layer"
    SCISSOR = "outside of the scissor"
    WINDOW_RECTANGLE = "outside of the window rectangles"
    SAMPLE_MASK = "masked by the sample mask"
    STENCIL = "stencil test failed"
    DEPTH = "depth test failed"
    DEPTH_BOUNDS = "outside of the depth bounds"
    DISCARDED = "discarded"
    SHADER_MASK = "masked by the shader's sample mask"
    ALPHA = "alpha test failed"
    ALPHA_TO_COVERAGE = "not covered by its alpha"
    MASKED = "all channels are masked"
    NO_OUTPUT = "the shader writes no such color"
    PASSED = "passed"


@record
class SampleFate:
    """The fate of one sample of a fragment.

    before, after: values of the pixel's channels, depth, or depth and stencil. detail: the numbers that decided the fate.
    """

    sample: int
    fate: Fate
    detail: str = ""
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()


@record(kw_only=True)
class Fragment:
    """A fragment at the pixel.

    Attributes:
        primitive: number in the draw, as shaders read PRIMID.
        is_front: the primitive faces the front.
        depth: with the depth offset, not clamped yet.
        covered: numbers of the samples that the primitive covers.
        inputs: numbers of each IN register by its name, such as ``IN[0] GENERIC[0]``.
        outputs: likewise of OUT registers, at the end of the program or when it discarded the fragment.
        words: the bits of inputs and outputs, by register, for comparisons.
        discarded_at: number of the instruction that discarded the fragment, or None.
        coverage: share of the pixel that a smooth primitive covers, by which its alpha is multiplied; 1 for others.
        samples: the fate of each sample.
        flat: names of inputs that are constant across the primitive. provoking: the corner that supplies them, in words.
    """

    primitive: int
    is_front: bool
    depth: float
    covered: tuple[int, ...]
    inputs: dict[str, tuple[float, ...]]
    outputs: dict[str, tuple[float, ...]]
    words: dict[str, Any]
    discarded_at: int | None = None
    coverage: float = 1.0
    samples: tuple[SampleFate, ...] = ()
    flat: tuple[str, ...] = ()
    provoking: str = ""
    tracer: Callable[[], Any] | None = field(default=None, repr=False, compare=False)
    causer: Callable[[], str] | None = field(default=None, repr=False, compare=False)

    def trace(self) -> Any:
        """Each instruction that the fragment's program executed, with the registers that it wrote (`tgsi.insight.steps.LaneTrace`).

        Replays the recorded calls up to the draw. RuntimeError: the fragment has no recording.
        """
        if self.tracer is None:
            raise RuntimeError("trace: the fragment came without its recording")
        return self.tracer()

    def cause(self) -> str:
        """The instruction that made the color black or NaN, in words; empty for other colors. Replays the recorded calls."""
        return "" if self.causer is None else self.causer()

    @property
    def fate(self) -> Fate:
        """PASSED if any sample passed, otherwise the fate of the sample that came farthest."""
        order = list(Fate)
        return max((item.fate for item in self.samples), key=order.index)

    @property
    def detail(self) -> str:
        """The numbers that decided the fate."""
        return next((item.detail for item in self.samples if item.fate is self.fate), "")


COMMAND = "command "
"""Prefix of an `emit_string_marker` text that names the frontend's command behind the following calls."""
ELSEWHERE = "it went to another target"
"""Beginning of the reason of a draw to other targets."""


@record
class Event:
    """A call that wrote the pixel, or could have.

    Attributes:
        number: of the command, as ``tgsi-replay --print`` counts. call: the method with its arguments, abbreviated.
        kind: ``draw``, ``clear``, ``copy``, ``upload``, ``store`` or ``mipmap``.
        draw: number of the draw among all draws of the recording, from 0; None for other calls.
        before, after: the stored values of the pixel (of the requested sample, or the first one).
        wrote: the call stored the pixel, perhaps with an equal value.
        fragments: the draw's fragments, in order.
        reasons: sentences that say why the draw has no fragment at the pixel.
        missing: inputs of the draw's programs that nothing feeds, such as an unbound texture.
        doubts: legal but suspicious facts about the draw, the most certain one first.
        depth_func: function of the draw's depth test; "off" if a depth buffer is bound without a test. writes_depth: the draw stores
        passing depths.
        proof: empty if the computed result equals the stored one; otherwise the difference, which is a bug in this package, or the reason
            why the result cannot be computed.
        marker: the text of `emit_string_marker` before the call.
        command: the frontend's command behind the call, with its arguments and the caller's line, if one was noted.
    """

    number: int
    call: str
    kind: str
    _: KW_ONLY
    draw: int | None = None
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    wrote: bool = False
    fragments: tuple[Fragment, ...] = ()
    reasons: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    depth_func: str = ""
    writes_depth: bool = False
    proof: str = ""
    marker: str = ""
    command: str = ""
