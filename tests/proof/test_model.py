"""The solver's model of opcodes equals the interpreter, and has the properties that proofs assume of sums and products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.interp.run import run
from passes.optimise.evaluate import value_of
from passes.optimise.rules.kinds import CLOSED, CONTAINS, KIND_OF, MEANINGS, gives
from tests.property.rule_programs import SPECIAL
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Flow

z3 = pytest.importorskip("z3", reason="z3-solver is not installed: no proofs")

from tests.proof import model  # noqa: E402
from tests.proof.prover import solver_of  # noqa: E402

COMPUTED = [name for name in (*model.OPERATIONS, *model.ARITHMETIC, "FMA") if OPCODES[name].flow is not Flow.IF]
LANES = 160
SLOW = ("number", "saturated")
"""Kinds whose proofs take seconds."""


def _words(count: int, seed: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """(LANES, count): special words, random ones, small integers and floats of ordinary size."""
    random = np.random.default_rng(seed)
    shape = (LANES, count)
    choices = [
        random.choice(np.array(SPECIAL, np.uint32), shape),
        random.integers(0, 2**32, shape, np.uint32),
        random.integers(0, 40, shape).astype(np.uint32),
        random.uniform(-70, 70, shape).astype(np.float32).view(np.uint32),
    ]
    return np.choose(random.integers(0, 4, shape), choices).astype(np.uint32)


def _interpreted(name: str, words: np.ndarray[Any, np.dtype[np.uint32]], zero_wins: bool = False) -> list[int]:
    count = words.shape[1]
    target = "ADDR[0].x" if name in ("ARL", "UARL") else "OUT[0]"
    lines = ["VERT", "PROPERTY MUL_ZERO_WINS 1" if zero_wins else "", *(f"DCL IN[{k}]" for k in range(count))]
    lines += ["DCL OUT[0], POSITION", "DCL ADDR[0]", f"{name} {target}, {', '.join(f'IN[{k}].xxxx' for k in range(count))}"]
    lines += ["MOV OUT[0], ADDR[0].xxxx"] if target != "OUT[0]" else []
    inputs = np.repeat(words[:, :, None], 4, axis=2)
    found: list[int] = run(tgsi.parse("\n".join([*lines, "END"])), inputs).outputs.view(np.uint32)[:, 0, 0].tolist()
    return found


def _modelled(name: str, row: Sequence[int], arithmetic: Any) -> int:
    result: int = z3.simplify(model.apply(name, [model.word(int(item)) for item in row], arithmetic)).as_long()
    return result


@pytest.mark.parametrize("name", COMPUTED)
def test_model_equals_the_interpreter(name: str) -> None:
    words = _words(OPCODES[name].num_src, len(name))
    expected = _interpreted(name, words)
    for row, result in zip(words.tolist(), expected):
        assert _modelled(name, row, model.IEEE) == result, [hex(item) for item in row]


@pytest.mark.parametrize("name", model.ARITHMETIC)
def test_model_equals_the_interpreter_where_zero_wins(name: str) -> None:
    words = _words(OPCODES[name].num_src, 3)
    expected = _interpreted(name, words, zero_wins=True)
    for row, result in zip(words.tolist(), expected):
        assert _modelled(name, row, model.ZERO_WINS) == result, [hex(item) for item in row]


@pytest.mark.parametrize("name", COMPUTED)
def test_constants_are_folded_to_what_the_interpreter_computes(name: str) -> None:
    if name == "FMA":
        assert value_of("FMA", [0, 0, 0]) is None
        return
    words = _words(OPCODES[name].num_src, 50)
    for row, result in zip(words.tolist(), _interpreted(name, words)):
        assert value_of(name, row) == result, [hex(item) for item in row]


def _proved(claim: Any, *assumed: Any) -> bool:
    return bool(solver_of(*assumed, z3.Not(claim), milliseconds=30_000).check() == z3.unsat)


def test_sums_and_products_see_only_one_nan() -> None:
    a, b = z3.BitVecs("a b", 32)
    assert _proved(model.number(model.without_payload(a)) == model.number(a))
    assert _proved(model.equal(model.without_payload(a), b) == model.equal(a, b))


def test_sums_commute() -> None:
    a, b = z3.BitVecs("a b", 32)
    assert _proved(model.total(a, b) == model.total(b, a))


@pytest.mark.parametrize("zero_wins", [False, True])
def test_products_commute_for_a_million_pairs(zero_wins: bool) -> None:
    random = np.random.default_rng(5)
    words = random.integers(0, 2**32, (1_000_000, 2), np.uint32)
    words[::2] = random.choice(np.array(SPECIAL, np.uint32), (500_000, 2))
    assert _interpreted("MUL", words, zero_wins) == _interpreted("MUL", words[:, ::-1].copy(), zero_wins)


def test_sign_and_magnitude_of_a_product_are_apart() -> None:
    a, b = z3.BitVecs("a b", 32)
    found = model.product(a, b)
    assert _proved(model.product(a ^ model.SIGN, b) == model.without_payload(found ^ model.SIGN))
    assert _proved(model.product(a, model.word(model.ONE)) == model.without_payload(a))


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.nightly if kind in SLOW else ()) for kind in MEANINGS])
def test_opcodes_of_a_kind_give_nothing_else(kind: str) -> None:
    words = z3.BitVecs("a b e f", 32)
    for name in COMPUTED:
        opcode = OPCODES[name]
        if name == "FMA" or opcode.uses_64bit:
            continue
        arguments = words[: opcode.num_src]
        result = model.apply(name, arguments, model.UNKNOWN)
        if gives(opcode, False, kind):
            assert _proved(model.contains(kind, result)), name
        if gives(opcode, True, kind):
            assert _proved(model.contains(kind, model.saturated(result))), name
        if name in CLOSED.get(kind, ()):
            exact = model.apply(name, arguments)
            assert _proved(model.contains(kind, exact), *[model.contains(kind, item) for item in arguments]), name


def test_kinds_name_only_opcodes_that_are_modelled() -> None:
    named = {name for names in (*KIND_OF.values(), *CLOSED.values()) for name in names}
    assert named - set(COMPUTED) == {"EX2"}


@pytest.mark.parametrize("kind", MEANINGS)
def test_the_kinds_of_constants_are_those_of_the_model(kind: str) -> None:
    for word in {*SPECIAL, *_words(1, 9)[:, 0].tolist()}:
        assert z3.is_true(z3.simplify(model.contains(kind, model.word(int(word))))) == CONTAINS[kind](int(word)), hex(word)
