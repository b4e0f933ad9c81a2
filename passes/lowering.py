"""Lowerings of a program as options say: the passes of `LoweringOptions`, in their order."""

from __future__ import annotations

from passes.lower.options import ROWS, LoweringOptions, arguments, is_on
from passes.pipeline import Pipeline
from passes.registry import find
from tgsi.language.program import Program


def pipeline_of(options: LoweringOptions, *, again: bool = False) -> Pipeline:
    """Return the passes of the fields that are set, in the order of the table; with `again`, those that run again after other passes.

    Raises:
        ValueError: a pass refuses its options; the message names the field.
    """
    passes = []
    for row in ROWS:
        value = getattr(options, row.field)
        if is_on(value) and (row.repeats or not again):
            try:
                passes.append(find(row.lowering)(**arguments(row, value)))
            except ValueError as error:
                reason = str(error).removeprefix(f"pass {row.lowering}: ").removeprefix(f"{row.field}: ")
                raise ValueError(f"{row.word}: {reason}") from None
    return Pipeline(tuple(passes))


def lowered(program: Program, options: LoweringOptions, *, is_valid: bool = False) -> Program:
    """Return the program with the lowerings of the options, validated. `is_valid` says that the given program is.

    Raises:
        ValueError: a pass refuses its options; the message names the field.
        UnsupportedError: a lowering met an instruction or declaration that it cannot lower; the message names it and its place.
        ValidationError, LimitError: the program is not valid.
    """
    return pipeline_of(options).run(program, is_valid=is_valid)
