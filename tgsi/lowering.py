"""The public function that lowers programs for devices which lack something."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from passes.lower.options import LoweringOptions, known_field
from passes.lowering import lowered
from passes.validate import validate
from tgsi.language.diagnostics import show_at_caller
from tgsi.language.program import Program

__all__ = ["lower"]


def lower(program: Program | str | bytes, options: LoweringOptions | str | None = None, **fields: Any) -> Program:
    """Return a program that does without features which a device lacks: state, opcodes, kinds of operands.

        tgsi.lower(program, two_side=True, opcodes="LRP+DP3")
        tgsi.lower(program, "two-side,opcodes=LRP+DP3")

    Args:
        program: the program; it is validated first.
        options: the lowerings, as a record or as its text.
        fields: fields of `tgsi.LoweringOptions`, which replace those of `options`.

    Raises:
        ValidationError, LimitError: the program may not run.
        UnsupportedError: a lowering met an instruction or declaration that it cannot lower; the message names it and its place.
        ValueError: the text names an unknown lowering, or a pass refuses its options; the message names the field.
        TypeError: there is no such field, or a value has another type.
    """
    if isinstance(options, str):
        options = LoweringOptions.parse(options)
    elif options is not None and not isinstance(options, LoweringOptions):
        raise TypeError(f"lower: options: a LoweringOptions or its text is wanted, not {type(options).__name__}")
    for name in fields:
        try:
            is_known = known_field(name) == name
        except ValueError as error:
            raise TypeError(f"lower: {error}") from None
        if not is_known:
            raise TypeError(f"lower: there is no lowering `{name}`; did you mean `{known_field(name)}`?")
    chosen = replace(options or LoweringOptions(), **fields)
    if isinstance(program, str | bytes):
        from frontends.programs import compile_program

        program = compile_program(program, "lower: program")
    elif not isinstance(program, Program):
        raise TypeError(f"lower: program: a Program, a text or a SPIR-V module is wanted, not {type(program).__name__}")
    validate(program)
    return lowered(program, chosen, is_valid=True)


show_at_caller(globals(), __all__)
