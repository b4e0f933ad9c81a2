"""Tables of shader buffers and counters for draws whose programs reach memory; generated code writes their addresses to environments."""

from __future__ import annotations

from backends.abi.records import ShaderEnv
from backends.device.bound import DrawState, StageState
from backends.device.commands.words import tick
from backends.device.hazards import bind_memory
from backends.device.needs import ShaderNeeds, needs_of
from backends.device.region import Region
from backends.software.commands.records import REACHED, ExecutorRecord
from tgsi.language.facts.enums import Processor


def reached_tables(stage: int, needs: ShaderNeeds) -> int:
    """Place of a stage's tables in `ExecutorRecord.tables`, plus 1; 0 if its program reaches no memory."""
    return REACHED.index(Processor(stage)) + 1 if needs.effects.touches else 0


def has_tables(needs: ShaderNeeds) -> bool:
    """True if templates can be made for a program: images are a part of its code, and handles name whatever is resident."""
    return not needs.images and not needs.handles


def place_tables(record: ExecutorRecord, region: Region, state: DrawState) -> bool:
    """Copy the tables of a draw into `region`, for the next draw alone. False: its programs need more than tables.

    No two draws share an environment, so no vector has fragments of two draws, and memory is reached in the order of the calls.
    """
    stages: list[tuple[int, StageState, ShaderNeeds]] = []
    for place, processor in enumerate(REACHED):
        bindings = state.stage[processor]
        needs = needs_of(bindings.shader)
        if not has_tables(needs):
            return False
        if needs.effects.touches:
            stages.append((place, bindings, needs))
    for place, bindings, needs in stages:
        env = ShaderEnv()
        bind_memory(region, env, needs, bindings, state.counters)
        record.tables[2 * place], record.tables[2 * place + 1] = env.buffers, env.counters
        state.record.constant_revision[REACHED[place]] = tick()
    return True
