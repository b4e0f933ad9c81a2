"""Template fields outside the Draw record, grouped by the step that produces them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from backends.abi.records import ShaderEnv
from backends.device.needs import ShaderNeeds
from backends.pipe.state import VertexElement
from backends.raster.draw.facts import Fact, TileSlots
from backends.raster.draw.sample_state import write_sample_positions
from backends.raster.draw.steps import ENTERING, WRITING, Step
from backends.raster.draw.topology import Topology
from backends.software.commands.reached import reached_tables
from backends.software.commands.records import EnvironmentRecipe, TemplateRecord
from tgsi.language.facts.enums import File, Processor


def write_topology(t: TemplateRecord, topology: Topology) -> None:
    """Write the fields for writing out vertex numbers and for counting primitives."""
    t.corners, t.shift, t.closes = len(topology.multiply), topology.shift, topology.closes
    if t.corners <= len(t.multiply):  # larger primitives are not written out
        for k in range(t.corners):
            t.multiply[k], t.offset[k], t.offset[len(t.multiply) + k] = topology.multiply[k], topology.even[k], topology.odd[k]
    t.prim_shift = topology.shift


def write_attributes(t: TemplateRecord, elements: Sequence[VertexElement], count: int) -> None:
    """Write the offsets of `count` attributes in vertex buffers."""
    t.num_attributes = count
    for a in range(count):
        e = elements[a] if a < len(elements) else None
        t.buffer[a] = e.vertex_buffer_index if e is not None else -1
        t.source_offset[a], t.element_bytes[a] = (e.src_offset, e.src_format.block_bytes) if e is not None else (0, 0)


def write_recipe(
    recipe: EnvironmentRecipe, stage: int, needs: ShaderNeeds, samples: int = 1, locations: tuple[int, ...] | None = None
) -> list[Any]:
    """Write the recipe of a stage's environment. Returns the memory that it points to.

    samples, locations: of the framebuffer, and of set_sample_locations, for the fragment stage.
    """
    recipe.stage, recipe.num_constants, recipe.units = stage, len(needs.constants), needs.units
    recipe.is_revised = recipe.num_constants
    for k, (slot, declared, is_whole) in enumerate(needs.constants):
        recipe.slot[k], recipe.declared[k], recipe.is_whole[k] = slot, declared, is_whole
    content = ShaderEnv()
    recipe.content = ctypes.addressof(content)
    if samples > 1 or locations is not None:
        return [content, write_sample_positions(recipe.content, samples, locations)]
    return [content]


def write_copied_recipe(recipe: EnvironmentRecipe, stage: int, needs: ShaderNeeds, *samples: Any) -> list[Any]:
    """Write the recipe of an environment whose tables of memory are copies, because its program runs later. samples: see `write_recipe`."""
    held = write_recipe(recipe, stage, needs, *samples)
    recipe.reaches = reached_tables(stage, needs)
    recipe.is_revised |= recipe.reaches
    return held


def _nothing(*_: Any) -> tuple[()]:
    return ()


RECIPES = (
    Step("vertex recipe", _nothing, (Fact.VERTEX_NEEDS,)),
    Step("fragment recipe", _nothing, (Fact.FRAGMENT_NEEDS, Fact.FRAMEBUFFER, Fact.SAMPLE_LOCATIONS)),
)
"""Steps that write no field of the Draw record."""

STEPS: tuple[Step, ...] = (*WRITING, *ENTERING, *RECIPES)
"""The steps of a template."""


def _assembly(t: TemplateRecord, arguments: Sequence[Any], conclusions: Sequence[Any]) -> list[Any]:
    write_topology(t, arguments[0])
    return []


def _slots(t: TemplateRecord, arguments: Sequence[Any], conclusions: Sequence[Any]) -> list[Any]:
    slots: TileSlots = conclusions[1]
    t.is_layered, t.has_views = slots.has_layer, slots.has_viewport
    return []


def _inputs(t: TemplateRecord, arguments: Sequence[Any], conclusions: Sequence[Any]) -> list[Any]:
    elements, vertex = arguments
    write_attributes(t, elements, vertex.program.file_size(File.IN))
    return []


def _vertex_recipe(t: TemplateRecord, arguments: Sequence[Any], conclusions: Sequence[Any]) -> list[Any]:
    return write_copied_recipe(t.vertex, Processor.VERT, *arguments)


def _fragment_recipe(t: TemplateRecord, arguments: Sequence[Any], conclusions: Sequence[Any]) -> list[Any]:
    needs, kind, locations = arguments
    return write_copied_recipe(t.fragment, Processor.FRAG, needs, kind.samples, locations)


FIELDS: dict[str, Callable[[TemplateRecord, Sequence[Any], Sequence[Any]], list[Any]]] = {
    "assembly": _assembly,
    "slots": _slots,
    "inputs": _inputs,
    "vertex recipe": _vertex_recipe,
    "fragment recipe": _fragment_recipe,
}
"""Writers of fields, by names of steps: they get a step's arguments and conclusions, and return the memory that the fields point to."""
