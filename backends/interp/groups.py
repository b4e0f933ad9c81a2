"""Opcodes that look at other lanes, or wait for them: subgroups are four consecutive lanes, the quad."""

from __future__ import annotations

from time import perf_counter_ns

import numpy as np

from backends.interp.registry import performs
from backends.interp.state import State
from backends.interp.values import flags
from backends.run.result import Bits, Mask
from backends.run.shapes import QUAD
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import Instruction


def _any(values: Mask) -> Mask:
    return np.repeat(values.reshape(-1, QUAD).any(axis=1), QUAD)


def _broadcast(state: State, instruction: Instruction, words: Bits, active: Mask) -> None:
    state.store(instruction, 0, np.repeat(words[:, None], 4, axis=1), active)


@performs("MEMBAR", "BARRIER", *(name for name, info in OPCODES.items() if info.has_no_effect))
def nothing(state: State, instruction: Instruction, active: Mask) -> None:
    """Do nothing: all lanes are at the same instruction, and memory is always up to date. Numbers without an opcode do nothing, too."""


@performs("VOTE_ANY")
def vote_any(state: State, instruction: Instruction, active: Mask) -> None:
    """All bits if x is not 0 in some active lane of the subgroup."""
    chosen = active & (state.source(instruction, 0, "float").view(np.float32)[:, 0] != 0)
    _broadcast(state, instruction, flags(_any(chosen)), active)


@performs("VOTE_ALL")
def vote_all(state: State, instruction: Instruction, active: Mask) -> None:
    """All bits if x is not 0 in every active lane of the subgroup."""
    against = active & (state.source(instruction, 0, "float").view(np.float32)[:, 0] == 0)
    _broadcast(state, instruction, flags(~_any(against)), active)


def _first(words: Bits, active: Mask) -> Bits:
    """Each lane's value in the lowest active lane of its subgroup (of lane 0 where none is active)."""
    leader = active.reshape(-1, QUAD).argmax(axis=1) + np.arange(0, len(active), QUAD)
    first: Bits = words[np.repeat(leader, QUAD)]
    return first


@performs("VOTE_EQ")
def vote_eq(state: State, instruction: Instruction, active: Mask) -> None:
    """All bits if x has the same bits in all active lanes of the subgroup."""
    words = state.source(instruction, 0, "untyped")[:, 0]
    _broadcast(state, instruction, flags(~_any(active & (words != _first(words, active)))), active)


@performs("BALLOT")
def ballot(state: State, instruction: Instruction, active: Mask) -> None:
    """x: a bit for each active lane of the subgroup whose x is not 0; y, z and w: 0."""
    chosen = active & (state.source(instruction, 0, "float").view(np.float32)[:, 0] != 0)
    bits = (chosen.reshape(-1, QUAD) << np.arange(QUAD)).sum(axis=1).astype(np.uint32)
    words = np.zeros((len(active), 4), np.uint32)
    words[:, 0] = np.repeat(bits, QUAD)
    state.store(instruction, 0, words, active)


@performs("READ_FIRST")
def read_first(state: State, instruction: Instruction, active: Mask) -> None:
    """The value in the lowest active lane of the subgroup."""
    state.store(instruction, 0, _first(state.source(instruction, 0, "untyped"), active), active)


@performs("READ_INVOC")
def read_invoc(state: State, instruction: Instruction, active: Mask) -> None:
    """The value in lane b.x (modulo the subgroup's size) of the subgroup."""
    lane = state.source(instruction, 1, "uint")[:, 0] % QUAD
    base = np.arange(len(active)) // QUAD * QUAD
    state.store(instruction, 0, state.source(instruction, 0, "untyped")[base + lane], active)


@performs("CLOCK")
def clock(state: State, instruction: Instruction, active: Mask) -> None:
    """x and y: a 64-bit count of nanoseconds; z and w: 0."""
    now = perf_counter_ns()
    words = np.array([now & 0xFFFFFFFF, now >> 32 & 0xFFFFFFFF, 0, 0], np.uint32)
    state.store(instruction, 0, np.tile(words, (len(active), 1)), active)
