"""Two engines, written apart, give the same bits for any valid program."""

from __future__ import annotations

import os

import numpy as np
from hypothesis import HealthCheck, given, settings

from backends.interp.run import run as interpret
from backends.llvm.run import run as execute
from passes.validate import validate
from tests.property.programs import LOOSE_OUTPUTS, GeneratedProgram, programs
from tgsi.parser import parse

EXAMPLES = int(os.environ.get("TGSI_PROPERTY_EXAMPLES", "100"))
"""More of them by night."""


def differences(generated: GeneratedProgram, lanes: int = 8) -> list[str]:
    """A line for each output word that differs. Where computed floats lie, any NaN equals any NaN."""
    program = parse(generated.text)
    ours = interpret(program, generated.inputs, constants=generated.constants)
    theirs = execute(program, generated.inputs, constants=generated.constants, lanes=lanes)
    a, b = ours.outputs, theirs.outputs
    wrong = a != b
    both_nan = np.isnan(ours.floats) & np.isnan(theirs.floats)
    wrong[:, LOOSE_OUTPUTS] &= ~both_nan[:, LOOSE_OUTPUTS]
    lines = [f"lane {i} OUT[{r}].{'xyzw'[c]}: {a[i, r, c]:08x} interpreted, {b[i, r, c]:08x} compiled" for i, r, c in np.argwhere(wrong)]
    return lines + [f"lane {i}: alive differs" for i in np.flatnonzero(ours.alive != theirs.alive)]


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_compiled_programs_equal_interpreted_ones(generated: GeneratedProgram) -> None:
    assert differences(generated) == []


@settings(max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_generated_programs_are_valid_and_survive_printing(generated: GeneratedProgram) -> None:
    program = parse(generated.text)
    validate(program)
    assert parse(str(program)) == program
