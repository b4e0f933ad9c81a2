"""Lowerings keep the results of the interpreter, to the bit where they are exact, and those of their definition where they are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.interp.arithmetic import Product, rcp, rsq
from backends.interp.registry import OPERATIONS, Operation
from backends.interp.run import run
from backends.interp.values import F32
from backends.run.arguments import prepare
from backends.run.canonical import canonical
from passes.analysis.access import free_indexing, is_direct
from passes.lower.arithmetic.table import EXPANSIONS
from passes.lower.options import LoweringOptions
from passes.lowering import lowered
from passes.validate import validate
from tests.property.engines import check, result_differences
from tests.property.programs import generate
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import CLOSERS, OPENERS, Flow
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

EXACT = "+".join(name for name, row in EXPANSIONS.items() if row.is_exact and name != "FLR")
LOWERINGS: Mapping[str, str] = {
    "exact opcodes": f"opcodes={EXACT}",
    "floor by fraction": "opcodes=FLR+CEIL+TRUNC+EXP",
    "indirect": "indirect",
    "indirect and opcodes": f"indirect,opcodes={EXACT}",
    "one channel": "wide-writes",
    "one channel, no address": f"indirect,fma=double,opcodes={EXACT},wide-writes",
    "64 bits": "bits64",
    "64 bits, one channel": "fma=double,bits64,wide-writes",
    "fma by doubles": "fma=double",
    "inexact opcodes": "opcodes=LIT+POW+DIV+SQRT",
}
"""Lowerings as text, by name."""


# Definitions of the expansions that change results, written apart from them.


def _power(product: Product, base: F32, exponent: F32) -> F32:
    scaled = canonical(product(exponent, OPERATIONS["LG2"].function(base[:, None])))
    powers: F32 = OPERATIONS["EX2"].function(scaled[:, None])
    return powers


def _pow(product: Product, a: F32, b: F32) -> F32:
    return np.where(b[:, 0] == 0, np.float32(1), _power(product, a[:, 0], b[:, 0]))


def _lit(a: F32) -> F32:
    x, y, w = a[:, 0], a[:, 1], a[:, 3]
    base = np.where(y > 0, y, np.float32(0))
    exponent = np.where(w < 128, np.where(w > -128, w, np.float32(-128)), np.float32(128))
    specular = np.where(exponent == 0, np.float32(1), _power(np.multiply, base, exponent))
    one = np.ones_like(x)
    return np.stack([one, np.where(x > 0, x, np.float32(0)), np.where(x > 0, specular, np.float32(0)), one], axis=1)


def _div(product: Product, a: F32, b: F32) -> F32:
    return product(a, np.float32(1) / b)


def _sqrt(a: F32) -> F32:
    return rcp(rsq(a)[:, None])


DEFINITIONS = {
    "POW": Operation(_pow, takes_product=True),
    "LIT": Operation(_lit),
    "DIV": Operation(_div, takes_product=True),
    "SQRT": Operation(_sqrt),
}


@contextmanager
def defined(names: Set[str]) -> Iterator[None]:
    """Let the interpreter take the definitions of opcodes in place of their exact meaning."""
    kept = {name: OPERATIONS[name] for name in names}
    OPERATIONS.update({name: DEFINITIONS[name] for name in kept})
    try:
        yield
    finally:
        OPERATIONS.update(kept)


def is_unspecified(program: Program, arguments: Mapping[str, Any], options: LoweringOptions) -> bool:
    """True if an instruction whose operand is computed before it looks at lanes that did not compute that: absent ones, or others."""
    names = str(options.opcodes or "").split("+")
    # operands that an address chooses are then computed before: see passes/lower/operands/roomy.py
    goes = bool(options.indirect) or free_indexing(program, File.TEMP) or free_indexing(program, File.IMM)
    depth, is_divergent, is_whole = 0, False, bool(prepare(program, **arguments).present.all())
    for item in program.instructions:
        flow = item.opcode.flow
        depth += (flow in OPENERS) - (flow in CLOSERS)
        is_divergent = is_divergent or flow is Flow.RETURN
        is_computed = item.opcode.name in names or (goes and not all(is_direct(operand.register) for operand in item.src))
        if is_computed and item.opcode.looks_at_other_lanes and (depth > 0 or is_divergent or not is_whole):
            return True
    return False


def differences(text: str, arguments: Mapping[str, Any], lowering: str, *, jit: bool = False) -> list[str]:
    """Lines that describe each output word changed by a lowering; by the code generator, with `jit`, where last places may differ."""
    program = parse(text)
    options = LoweringOptions.parse(lowering)
    if is_unspecified(program, arguments, options):
        return []
    made = lowered(program, options)
    validate(made)
    assert parse(str(made)) == made
    names = set(str(options.opcodes or "").split("+")) & DEFINITIONS.keys()
    with defined(names):
        before = run(program, **arguments)
    found = result_differences(before, run(made, **arguments), exact=True, survivors=True)
    if jit and not found:
        return result_differences(run(made, **arguments), tgsi.run(made, **arguments), survivors=True)
    return found


@pytest.mark.parametrize(
    ("begin", "end"), [(0, 12), *(pytest.param(500 * part, 500 * part + 500, marks=pytest.mark.nightly) for part in range(10))]
)
@pytest.mark.parametrize("name", LOWERINGS)
def test_a_lowering_keeps_the_results_of_any_program(name: str, begin: int, end: int) -> None:
    for seed in range(begin, end):
        check(generate(seed), partial(differences, lowering=LOWERINGS[name], jit=seed % 8 == 0))
