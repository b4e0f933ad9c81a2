"""The public functions that lower programs for devices which lack something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from linkage.options import DEFAULT, IDENTITY, LinkOptions, LinkState
from passes.lower.options import LoweringOptions, known_field
from passes.lowering import lowered
from passes.validate import validate
from tgsi.language.diagnostics import show_at_caller
from tgsi.language.program import Program

__all__ = ["device_pair", "geometry_for", "lower", "lowering_for", "stipple_texels", "window_constant"]


def lower(program: Program | str | bytes, options: LoweringOptions | str | None = None, **fields: Any) -> Program:
    """Return a program that does without features which a device lacks: state, opcodes, kinds of operands.

        tgsi.lower(program, two_side=True, opcodes="LRP+DP3")
        tgsi.lower(program, "two-side,opcodes=LRP+DP3")

    Args:
        program: the program; it is validated first.
        options: the lowerings, as a record or as its text.
        fields: fields of `tgsi.LoweringOptions` that override `options`.

    Raises:
        ValidationError, LimitError: the program may not run.
        UnsupportedError: a lowering met an instruction or declaration that it cannot lower; the message names it and its place.
        ValueError: the text names an unknown lowering, or a pass refuses its options; the message names the field.
        TypeError: there is no such field, or a value has another type.
    """
    if isinstance(options, str):
        options = LoweringOptions.parse(options)
    elif options is not None and not isinstance(options, LoweringOptions):
        raise TypeError(f"lower: options: expected a LoweringOptions or its text, not {type(options).__name__}")
    for name in fields:
        try:
            is_known = known_field(name) == name
        except ValueError as error:
            raise TypeError(f"lower: {error}") from None
        if not is_known:
            raise TypeError(f"lower: there is no lowering `{name}`; did you mean `{known_field(name)}`?")
    chosen = replace(options or LoweringOptions(), **fields)
    program = _program(program, "lower")
    validate(program)
    return lowered(program, chosen, is_valid=True)


def lowering_for(program: Program | str | bytes, profile: str) -> LoweringOptions:
    """Return the lowerings that a program needs on a device: its opcodes that the driver does not translate and that have an expansion.

        tgsi.lower(program, tgsi.lowering_for(program, "nv40"))

    Empty options: no lowering is needed, or the device's driver has its own compiler (all profiles except nv30, nv40 and i915).

    Raises:
        ValueError: there is no such profile.
    """
    from linkage.device_programs import lowering_for as made

    return made(_program(program, "lowering_for"), profile)


def device_pair(
    vertex: Program | str | bytes,
    fragment: Program | str | bytes,
    profile: str,
    *,
    state: LinkState = IDENTITY,
    options: LinkOptions = DEFAULT,
) -> tuple[Program, Program]:
    """Return a pair in the form that a device accepts: lowered with `lowering_for`, with the registers in which the device expects the
    values.

    On nv30 and nv40 these are the chip's own numbers of outputs and inputs; those without such a number come last. On other devices the
    fragment program's inputs have the numbers of the outputs, as in `linked_program`.

    Raises:
        LinkError: the device cannot link the pair, or a range of registers would have to be torn apart (K022).
        UnsupportedError: a lowering met an instruction or declaration that it cannot lower; the message names it and its place.
        ValidationError, LimitError: a program may not run.
        ValueError: there is no such profile.
    """
    from linkage.device_programs import device_pair as made

    pair = _program(vertex, "device_pair"), _program(fragment, "device_pair")
    for program in pair:
        validate(program)
    return made(*pair, profile, state=state, options=options)


def geometry_for(vertex: Program | str | bytes, primitive: str = "POINTS") -> Program:
    """Return a geometry program that hands POINTS or LINES of a vertex program on, for lowerings that make quads of them.

        geometry = tgsi.lower(tgsi.geometry_for(vertex, "LINES"), smooth_lines=(20,))

    Raises:
        ValueError: `primitive` is neither POINTS nor LINES.
    """
    from passes.lower.state.shapes import geometry_for as made

    return made(_program(vertex, "geometry_for"), primitive)


def window_constant(
    program: Program | str | bytes, height: float, *, origin: str = "UPPER_LEFT", is_upward: bool = True
) -> tuple[float, float, float, float]:
    """Return the constant that a fragment program reads after `lower(program, window_position=...)`.

    Args:
        program: the fragment program before it is lowered.
        height: rows of the framebuffer.
        origin: the device's origin, as given to the lowering.
        is_upward: true if y of the picture grows with the rows of the target: the scale of the first viewport in y is not negative. Only
            programs from GLSL use it.

    Raises:
        ValueError: there is no such origin of devices.
    """
    from passes.lower.state.window import origin_of
    from passes.lower.state.window import window_constant as made

    return made(origin_of(_program(program, "window_constant")), origin, height, is_upward=is_upward)


def stipple_texels(pattern: Sequence[int]) -> bytes:
    """Return the texels of a polygon stipple, a byte each, for an A8_UNORM texture of 32 x 32 that `polygon_stipple=(-1, 0, unit)` reads.

    pattern: 32 words, as `Context.set_polygon_stipple` takes them.

    Raises:
        ValueError: there are not 32 words.
    """
    from passes.lower.state.stipple import stipple_texels as made

    return made(pattern)


def _program(program: Program | str | bytes, call: str) -> Program:
    if isinstance(program, str | bytes):
        from frontends.programs import compile_program

        return compile_program(program, f"{call}: program")
    if not isinstance(program, Program):
        raise TypeError(f"{call}: program: expected a Program, a text or a SPIR-V module, not {type(program).__name__}")
    return program


show_at_caller(globals(), __all__)
