"""What a user calls on programs: parse, check, link, run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import passes.validate
from linkage.match import link as _link
from linkage.options import DEFAULT, LinkOptions, link_state
from linkage.table import LinkTable
from passes.validate.semantics import LIMITS, SemanticLimits
from tgsi.diagnostics import Diagnostic
from tgsi.ir import Program
from tgsi.parser import parse
from tgsi.semantics import Semantic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from backends.result import RunResult

__all__ = ["ENGINES", "check", "link", "optimize", "parse", "run", "validate"]

ENGINES = ("jit", "interp")
"""What can run programs: compiled code, and the interpreter that defines what it must do."""


def check(program: Program, *, limits: str | SemanticLimits | None = None) -> tuple[Diagnostic, ...]:
    """Every finding about a program, errors and warnings, in the order of their places; empty when there is none.

    Args:
        program: what to check.
        limits: semantic limits to hold it to as well: a `SemanticLimits`, or a name of `passes.validate.semantics.LIMITS` such as
            "sm3", "byte" or "a".

    Raises:
        TypeError, ValueError: an argument is wrong.
    """
    if isinstance(limits, str) and limits not in LIMITS:
        raise ValueError(f"check: limits: {limits!r} is none of {', '.join(LIMITS)}")
    chosen = LIMITS[limits] if isinstance(limits, str) else limits
    return passes.validate.check(_program(program, "check: program"), semantic_limits=chosen)


def validate(program: Program) -> None:
    """Return if the program may run.

    Raises:
        ValidationError: it breaks a rule of the language; every finding is in the exception.
        LimitError: it is right, but too large.
    """
    passes.validate.validate(_program(program, "validate: program"))


def optimize(program: Program, pipeline: str | None = None) -> Program:
    """A program of the same results, made by passes.

    Args:
        program: it is validated first.
        pipeline: passes to run, as ``"fold-constants,if-to-select{instructions=2}"``; by default those that make it shorter.
            ``tgsi-compile --list-passes`` names them all. Those called ``lower-`` change what the program computes.

    Raises:
        ValidationError, LimitError: the program may not run.
        UnsupportedError: a lowering met what it cannot lower; it is named, with its place.
        ValueError: the pipeline names an unknown pass or option.
    """
    from passes.base import Pipeline
    from passes.registry import DEFAULT

    made = Pipeline.parse(DEFAULT if pipeline is None else pipeline)
    validate(_program(program, "optimize: program"))
    return made.run(program)


def link(
    vertex: Program,
    fragment: Program,
    *,
    profile: str = "software",
    unmatched: str = "fill",
    mapping: Mapping[Semantic | str, Semantic | str] | None = None,
    options: LinkOptions = DEFAULT,
) -> LinkTable:
    """Say where each input of a fragment program comes from; see `linkage.match.link`.

    Args:
        vertex: the program before the rasterizer.
        fragment: a FRAG program.
        profile: the scheme of a device: "software", "nv30", "nv40", "nv50", "r300", "r500", "r600", "svga", "svga10" or "i915".
        unmatched: "fill" lets an input without an output read 0, 0, 0, 1; "error" refuses it.
        mapping: a linkage other than the identity: fragment input -> output that feeds it, e.g. ``{"GENERIC[0]": "TEXCOORD[2]"}``.
        options: rasterizer state that devices fold into their tables.

    Raises:
        LinkError: wrong stages, two outputs of one semantic, an unmatched input that was to be refused, or a device that cannot
            link the pair.
        TypeError, ValueError: an argument is wrong.
    """
    programs = _program(vertex, "link: vertex"), _program(fragment, "link: fragment")
    return _link(*programs, profile, unmatched=unmatched, state=link_state(mapping, "link: mapping"), options=options)


def run(
    program: Program,
    inputs: ArrayLike | None = None,
    *,
    constants: Mapping[int, ArrayLike] | None = None,
    system_values: Mapping[str, ArrayLike] | None = None,
    engine: str = "jit",
    **given: Any,
) -> RunResult:
    """Run a VERT or FRAG program over many invocations.

    Args:
        program: it is validated first.
        inputs: (invocations, registers, 4) of float32 or uint32.
        constants: buffer number -> (vec4s, 4).
        system_values: semantic name -> one number an invocation.
        engine: "jit" or "interp"; both give the same values.
        given: for fragment programs `coefs`, `quad_pos`, `face`, `flatshade_color` instead of `inputs`; `textures`, `samplers`;
            `lanes`, `cpu` (jit); `trace`, `fuel` (interp).

    Returns:
        A RunResult: `outputs` are 32-bit words, (invocations, output registers, 4); `floats` is the same memory as float32.

    Raises:
        ValidationError: the program breaks a rule.
        UnsupportedError: the engine does not do something that the program uses; it is named, with its place.
        TypeError, ValueError: an argument does not fit.
    """
    validate(program)
    if engine == "jit":
        from backends.llvm.run import run as engine_run
    elif engine == "interp":
        from backends.interp.run import run as engine_run  # type: ignore[assignment]
    else:
        raise ValueError(f"run: engine: {engine!r} is none of {', '.join(ENGINES)}")
    return engine_run(program, inputs, constants=constants, system_values=system_values, **given)


def _program(value: Any, argument: str) -> Program:
    if not isinstance(value, Program):
        raise TypeError(f"{argument}: a Program is wanted (tgsi.parse makes one from text), not {type(value).__name__}")
    return value
