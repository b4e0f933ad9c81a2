"""Rules of single stages: the opcodes, properties and property values that a stage may use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from passes.validate.context import Context
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.limits import MAX_BLOCK, MAX_GEOMETRY_VERTICES, MAX_MESH_SHARED, MAX_MESH_VERTICES, MAX_PAYLOAD, MAX_TASK_SHARED
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.stages import BLOCK_STAGES, GROUP_STAGES, LAST_STAGES, STAGES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Property

_FRAG = frozenset({Processor.FRAG})
_GEOM = frozenset({Processor.GEOM})

TRAIT_STAGES: Mapping[Trait, frozenset[Processor]] = {
    **dict.fromkeys((Trait.KILL, Trait.HELPER, Trait.FRAMEBUFFER, Trait.INTERPOLATE), _FRAG),
    Trait.DERIVATIVE: frozenset({Processor.FRAG, Processor.COMP}),
    Trait.STREAM: _GEOM,
    Trait.BARRIER: GROUP_STAGES,
    Trait.LAUNCH: frozenset({Processor.TASK}),
    Trait.OUTPUTS: frozenset({Processor.MESH}),
}
"""Stages that may use the opcodes of a trait. Every stage may use opcodes with none of these traits."""

PREFIX_STAGES: Mapping[str, frozenset[Processor]] = {
    **{row.prefix: frozenset({row.processor}) for row in STAGES.values()},
    "CS_": BLOCK_STAGES,
    "VS_": frozenset(LAST_STAGES),  # properties of vertices that go to the rasterizer
}
"""Stages that a property applies to, by the prefix of its name."""

MAX_VALUES: Mapping[str, int] = {
    "FS_DEPTH_LAYOUT": 4,
    "GS_INVOCATIONS": 32,
    "GS_MAX_OUTPUT_VERTICES": MAX_GEOMETRY_VERTICES,
    "TCS_VERTICES_OUT": 32,
    "TES_SPACING": 2,
    "NUM_CLIPDIST_ENABLED": 8,
    "NUM_CULLDIST_ENABLED": 8,
    "MS_MAX_OUTPUT_VERTICES": MAX_MESH_VERTICES,
    "MS_MAX_OUTPUT_PRIMITIVES": MAX_MESH_VERTICES,
    "MS_SHARED_BYTES": MAX_MESH_SHARED,
    "TS_PAYLOAD_BYTES": MAX_PAYLOAD,
    "TS_SHARED_BYTES": MAX_TASK_SHARED,
    "CS_FIXED_BLOCK_WIDTH": MAX_BLOCK,
    "CS_FIXED_BLOCK_HEIGHT": MAX_BLOCK,
    "CS_FIXED_BLOCK_DEPTH": MAX_BLOCK,
}
"""Largest value of a property; named values are bounded by their names."""


@cache
def _stages(opcode: OpcodeInfo) -> frozenset[Processor] | None:
    """Return the stages that may use an opcode, or None if all may."""
    return next((stages for trait, stages in TRAIT_STAGES.items() if trait in opcode.traits), None)


def check(context: Context) -> None:
    """Check V060 to V062."""
    stage = context.program.processor
    wrong: dict[OpcodeInfo, frozenset[Processor]] = {}
    for opcode in context.opcodes:
        allowed = _stages(opcode)
        if allowed is not None and stage not in allowed:
            wrong[opcode] = allowed
    for item in context.program.instructions if wrong else ():
        if allowed := wrong.get(item.opcode):
            names = " or ".join(sorted(processor.name for processor in allowed))
            context.error(
                "V060", f"{item.opcode.name} belongs to {names} programs, not to {stage.name}", item, hint=_elsewhere(item.opcode)
            )
    for declared in context.properties:
        _check_property(context, declared)


def _elsewhere(opcode: OpcodeInfo) -> str:
    """The way out where an opcode belongs to another stage."""
    if Trait.KILL in opcode.traits:
        return "only fragments can be discarded: leave it out"
    return "leave it out, or write the program of that stage"


@lru_cache(maxsize=256)
def _means_something(name: str, stage: Processor) -> bool:
    """Return true if a property applies to a stage."""
    return all(stage in allowed for prefix, allowed in PREFIX_STAGES.items() if name.startswith(prefix))


def _check_property(context: Context, item: Property) -> None:
    stage = context.program.processor
    if not _means_something(item.name, stage):
        context.warning("V061", f"{item.name} means nothing in a {stage.name} program", item, hint="leave it out")
    info = PROPERTIES.get(item.name)
    if info is None:
        context.error("V062", f"there is no property {item.name}", item)
    elif info.words is not None and item.value not in info.words.values():
        context.error("V062", f"{item.name} has no value {item.value}", item)
    elif item.value > MAX_VALUES.get(item.name, 0xFFFFFFFF):
        context.error("V062", f"{item.name} is at most {MAX_VALUES[item.name]}", item, hint="use a smaller value")
