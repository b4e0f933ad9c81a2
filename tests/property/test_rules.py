"""Every rule applies to programs that contain its window, and keeps the interpreter's results to the last bit."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.interp.run import run
from passes.form import ROUNDS, Form
from passes.optimise.evaluate import value_of
from passes.optimise.rules.rule import Rule
from passes.optimise.rules.sources import source_kinds
from passes.optimise.rules.table import RULES, SOURCES
from passes.optimise.simplify import simplify
from passes.validate import validate
from tests.property.rule_programs import SPECIAL, rule_program
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import Flow

ALL = (*RULES, *SOURCES)


@cache
def inputs(lanes: int) -> NDArray[np.uint32]:
    """(lanes, 4, 4) words: half of them special, some small, some equal to each other."""
    random = np.random.default_rng(7)
    shape = (lanes, 4, 4)
    words = np.where(
        random.random(shape) < 0.5, random.choice(np.array(SPECIAL, np.uint32), shape), random.integers(0, 2**32, shape, np.uint32)
    )
    floats = random.uniform(-3, 3, shape).astype(np.float32).view(np.uint32)
    words = np.where(random.random(shape) < 0.3, floats, words)
    words[::5, 1] = words[::5, 0]
    words[::7, 2] = words[::7, 1]
    return words


def differences(text: str, lanes: int = 512) -> int:
    """Words of the outputs that the pass changes."""
    program = tgsi.parse(text)
    made = tgsi.optimize(program, "simplify-instructions,remove-dead-code")
    validate(made)
    constants = {0: inputs(4)[:, 0]}
    before, after = (run(item, inputs(lanes), constants=constants) for item in (program, made))
    return int(np.count_nonzero(before.outputs.view(np.uint32) != after.outputs.view(np.uint32)))


def applied_rules(program: tgsi.Program) -> Counter[str]:
    """Applications of each rule to a program, by name."""
    form, found = Form(program), Counter[str]()
    for place, item in enumerate(form.values.items):
        for _ in range(ROUNDS):
            if item is None or not simplify(form, place, item, form.values.makers_of(place), found):
                break
            item = form.values.items[place]
    return found


@pytest.mark.parametrize("rule", ALL, ids=str)
def test_rule_applies_and_keeps_every_bit(rule: Rule) -> None:
    applied = seed = 0
    while seed < 4 or (not applied and seed < 40):
        text = rule_program(rule, seed)
        applied += applied_rules(tgsi.parse(text))[rule.name]
        assert differences(text) == 0, text
        seed += 1
    assert applied, f"{rule} never applies"


@pytest.mark.parametrize("rule", ALL, ids=str)
def test_rule_keeps_every_bit_where_zero_wins(rule: Rule) -> None:
    for seed in range(2):
        text = rule_program(rule, seed, zero_wins=True)
        assert differences(text) == 0, text


@pytest.mark.parametrize("engine", ["interp", "jit"])
def test_powers_and_logarithms_that_are_folded_are_exact(engine: str) -> None:
    words = np.zeros((254, 1, 4), np.float32)
    words[:, 0, 0] = np.arange(-126, 128)
    words[:, 0, 1] = np.ldexp(np.float32(1), np.arange(-126, 128))
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nEX2 OUT[0].x, IN[0].xxxx\nLG2 OUT[0].y, IN[0].yyyy\nEND"
    found = tgsi.run(tgsi.parse(text), words, engine=engine).outputs[:, 0].view(np.uint32).tolist()
    inputs_ = words.view(np.uint32)[:, 0].tolist()
    assert [[value_of("EX2", [row[0]]), value_of("LG2", [row[1]])] for row in inputs_] == [row[:2] for row in found]


def _blind() -> list[tuple[str, int]]:
    return [(info.name, k) for info in OPCODES.values() for k, kind in enumerate(source_kinds(info) or ()) if kind == "blind"]


@pytest.mark.parametrize(("name", "number"), _blind())
def test_sources_that_are_said_not_to_show_the_bits_of_a_nan_do_not(name: str, number: int) -> None:
    opcode = OPCODES[name]
    words = inputs(512)[:, : max(2, opcode.num_src)].copy()
    random = np.random.default_rng(number)
    words[:, number] = random.integers(0x7F800001, 0x80000000, words[:, number].shape, np.uint32) | random.choice([0, 1 << 31], (512, 1))
    plain = words.copy()
    plain[:, number] = 0x7FC00000
    sources = ", ".join(f"IN[{k}]" for k in range(opcode.num_src))
    stage, lines = "VERT", [f"{name} OUT[0], {sources}"]
    if opcode.flow is Flow.IF:
        lines = [f"{name} {sources}", "MOV OUT[0], IN[1]", "ENDIF"]
    elif not opcode.dst_types:
        stage, lines = "FRAG", [f"{name} {sources}"]
    elif name in ("ARL", "ARR"):
        lines = [f"{name} ADDR[0], {sources}", "MOV OUT[0], ADDR[0]"]
    declared = [f"DCL IN[{k}]" + (f", GENERIC[{k}], CONSTANT" if stage == "FRAG" else "") for k in range(words.shape[1])]
    head = [stage, *declared, f"DCL OUT[0], {'COLOR' if stage == 'FRAG' else 'POSITION'}", "DCL ADDR[0]"]
    program = tgsi.parse("\n".join([*head, *lines, "END"]))
    before, after = run(program, words), run(program, plain)
    assert np.array_equal(before.outputs.view(np.uint32), after.outputs.view(np.uint32))
    assert np.array_equal(before.alive, after.alive)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(8))
def test_many_programs_of_each_rule_keep_every_bit(part: int) -> None:
    for rule in ALL[part::8]:
        for seed in range(100, 160):
            text = rule_program(rule, seed, zero_wins=seed % 4 == 0)
            assert differences(text) == 0, text
