"""The steps of writing a `Draw` record, in order. Each writes its own fields, from a few facts, and draws conclusions for later steps.

A step reads nothing but its arguments and the options of the renderer. So its output fits every draw with the same facts, and a new
combination of known state is composed of earlier outputs (`backends.software.commands.parts`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import Any, Protocol

from backends.abi.limits import MAX_LANES
from backends.device.bound import DrawState, Shader, StageState
from backends.device.environment import StageKeys, stage_keys
from backends.device.framebuffer import FramebufferKind
from backends.device.needs import ORDERED_LANES, ShaderNeeds, needs_of
from backends.llvm.engine.engine import Library
from backends.pipe.enums import Prim
from backends.pipe.state import BlendState, DepthStencilAlphaState, RasterizerState, VertexElement
from backends.raster.draw.facts import Fact, Front, Interface, SlotRules, Targets, Tests, TileRules, TileSlots, Writes, windows_of
from backends.raster.draw.fragments import fragment_key, targets_of, tests_of, write_hiz, write_tests, writes_of
from backends.raster.draw.link import exposed_outputs, link_shaders, used_inputs
from backends.raster.draw.sample_state import sample_key, write_samples
from backends.raster.draw.style import (
    offset_of,
    style_of,
    tile_rules,
    write_conservative,
    write_faces,
    write_line_stipple,
    write_lines,
    write_offset,
    write_points,
    write_primitives,
)
from backends.raster.draw.topology import Topology, topology_of
from backends.raster.draw.varyings import arrange_slots, slot_rules, write_slots
from backends.raster.draw.vertex_inputs import Layout, write_elements, write_topology
from backends.raster.draw.viewport import write_depth_planes, write_rules
from backends.raster.draw_record import Draw
from backends.raster.kernels import Kernels
from backends.raster.layouts import NO_SLOT, Shape
from backends.raster.samples import MOST_LANES, Pattern
from linkage.options import LinkState
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.record import record


class Options(Protocol):
    """The options of a renderer, and the list that keeps kernels alive. lanes, setup_lanes: as in `DrawWriter`."""

    kernels: Kernels
    lanes: int | None
    setup_lanes: int | None

    def use(self, library: Library) -> int:
        """The entry point of a kernel, kept alive with the output of the step."""
        ...


Conclusions = tuple[Hashable, ...]


@record
class Step:
    """A step: `run(options, record, *arguments)` returns a conclusion for each of `concludes`.

    Attributes:
        facts: of which the arguments are the values.
        stage: whose bindings (StageState) are the last argument; the step depends on the classes of its views and samplers.
        shades_vertices: the step is left out if another stage leaves shaded vertices in memory.
    """

    name: str
    run: Callable[..., Conclusions]
    facts: tuple[Fact, ...]
    concludes: tuple[Fact, ...] = ()
    stage: Processor | None = None
    shades_vertices: bool = False


def _needs(o: Options, d: Draw, shader: Shader) -> Conclusions:
    return (needs_of(shader),)


def _fragment(o: Options, d: Draw, shader: Shader | None) -> Conclusions:
    return needs_of(shader), writes_of(o.kernels.fragment(shader))


def _interface(o: Options, d: Draw, vertex: Shader, fragment: Shader | None, link: LinkState) -> Conclusions:
    info = o.kernels.fragment(fragment)
    linked = link_shaders(vertex, fragment, link)
    return Interface(linked, info.slots, info.point_slot, info.reads_primitive, info.compares_depth), linked.is_window_space


def _rasterizer(
    o: Options,
    d: Draw,
    r: RasterizerState,
    mode: Prim,
    kind: FramebufferKind,
    is_window_space: bool,
    has_viewports: int,
    planes: int,
    has_stipple: int,
    sample_mask: int,
    locations: tuple[int, ...] | None,
    is_counted: bool,
) -> Conclusions:
    if kind.has_own_samples and not r.multisample:
        r = replace(r, multisample=True)  # such targets come from an extension of OpenGL ES, which always has multisample rules
    topology = topology_of(mode, r.flatshade_first, r.quads_provoke_last)
    write_rules(
        d.rules,
        r,
        kind,
        is_window_space=is_window_space,
        shape=topology.shape,
        is_hidden=r.rasterizer_discard or not sample_mask & ((1 << kind.samples) - 1),
        is_counted=is_counted,
    )
    if has_viewports and not is_window_space:
        write_depth_planes(d.clip, r)
    pattern = Pattern.of(kind.samples, r, locations is not None)
    style = style_of(r, topology, kind.samples > 1)
    offset = offset_of(style, r, kind.depth)
    write_faces(d.setup, style, r, pattern)
    write_conservative(d.conservative, style, r)
    write_offset(d.offset, offset, r)
    write_primitives(d.primitives, style, topology, r)
    write_points(d.points, style, r)
    write_lines(d.lines, style, r)
    write_line_stipple(d.line_stipple, style, topology, mode, r)
    write_samples(d.fragments, pattern, sample_mask, locations)
    rules = tile_rules(r, kind, style, pattern, offset, bool(has_stipple), sample_mask)
    return topology, style.shape, style.is_conservative, slot_rules(r, kind, style, offset, mode, planes), rules


def _assembly(o: Options, d: Draw, topology: Topology, mode: Prim, index_size: int, is_written_out: bool) -> Conclusions:
    write_topology(d.assembly, topology, mode, index_size, is_written_out)
    return ()


def _slots(o: Options, d: Draw, interface: Interface, rules: SlotRules, is_stored: bool) -> Conclusions:
    slots = arrange_slots(interface, rules)
    write_slots(d, interface, slots, is_stored)
    may_join = not (slots.has_route or slots.places_per_primitive or interface.reads_primitive or d.rows.num_slots)
    front = Front(slots.has_route, slots.has_rows, slots.has_distances, slots.places_per_primitive, may_join)
    flatshade = rules.flatshade and any(s.interpolation is Interpolation.COLOR for s in interface.slots)
    return front, TileSlots(flatshade, slots.sprites, slots.constants, slots.layer != NO_SLOT, slots.viewport != NO_SLOT)


def _inputs(o: Options, d: Draw, elements: tuple[VertexElement, ...], vertex: Shader) -> Conclusions:
    return (write_elements(d.fetch, elements, vertex.program.file_size(File.IN)),)


def _keys(o: Options, d: Draw, needs: ShaderNeeds, bindings: StageState) -> Conclusions:
    return (stage_keys(bindings, needs),)


def _vertex_lanes(o: Options, d: Draw, vertex: Shader, needs: ShaderNeeds, is_tiny: bool) -> Conclusions:
    return (min(o.lanes or o.kernels.vertex_lanes(vertex.program, is_tiny), needs.most_lanes, 32),)


def _fetch(o: Options, d: Draw, layout: Layout, lanes: int) -> Conclusions:
    d.entries.fetch = o.use(o.kernels.fetch(layout, lanes))
    return ()


def _used_inputs(o: Options, d: Draw, fragment: Shader | None, targets: Targets) -> Conclusions:
    return (used_inputs(fragment, targets.keys),)


def _exposed(o: Options, d: Draw, interface: Interface, rules: SlotRules, used: int) -> Conclusions:
    return (exposed_outputs(interface.linked, interface.slots, rules.flatshade, used),)


def _vertex_shader(o: Options, d: Draw, vertex: Shader, keys: StageKeys, lanes: int, exposed: int) -> Conclusions:
    d.entries.vertex_shader = o.use(o.kernels.vertex_shader(vertex, lanes, keys, exposed))
    return ()


def _front(
    o: Options, d: Draw, front: Front, shape: Shape, is_conservative: bool, is_tiny: bool, is_stored: bool, lanes: int
) -> Conclusions:
    entries, kernels = d.entries, o.kernels
    entries.shade_vertices = o.use(kernels.shade_vertices(lanes, is_stored, front.has_distances))
    has_lines = shape in (Shape.LINE, Shape.OUTLINE) and not is_conservative
    lanes_of_setup = o.setup_lanes or kernels.setup_lanes(is_tiny)
    entries.setup = o.use(kernels.setup(lanes_of_setup, front.has_route, front.has_rows, is_conservative, has_lines))
    if front.has_places:
        entries.place = o.use(kernels.place())
    if shape is not Shape.TRIANGLE:
        entries.expand = o.use(kernels.expand(shape, is_conservative))
    d.setup.calls_join = front.may_join and shape is Shape.TRIANGLE
    return ()


def _tests(o: Options, d: Draw, dsa: DepthStencilAlphaState, kind: FramebufferKind) -> Conclusions:
    write_tests(d.fragments, dsa)
    d.rules.has_back_stencil = dsa.stencil[1].enabled
    return (tests_of(dsa, kind),)


def _targets(o: Options, d: Draw, blend: BlendState, kind: FramebufferKind, writes: Writes) -> Conclusions:
    return (targets_of(blend, kind, writes),)


def _shading(
    o: Options,
    d: Draw,
    fragment: Shader | None,
    needs: ShaderNeeds,
    keys: StageKeys,
    is_conservative: bool,
    rules: TileRules,
    slots: TileSlots,
    windows: int,
    tests: Tests,
    targets: Targets,
    min_samples: int,
    count_samples: bool,
    count_invocations: bool,
    is_few: bool,
) -> Conclusions:
    kernels, info = o.kernels, o.kernels.fragment(fragment)
    samples = sample_key(rules, targets.to_coverage, min_samples, info)
    if needs.effects.is_ordered:
        lanes = ORDERED_LANES  # a fixed width gives fragments the same order on every machine
    else:
        texel_bytes = max((t.texel_bytes for t in targets.keys if t is not None), default=4)
        lanes = o.lanes or kernels.fragment_lanes(info, texel_bytes, is_few)
        lanes = min(lanes, needs.most_lanes, MOST_LANES if samples.pattern is not None else MAX_LANES)
    key = fragment_key(
        rules,
        slots,
        samples,
        keys,
        windows_of(windows),
        tests,
        targets,
        lanes=lanes,
        is_few=is_few,
        count_samples=count_samples,
        count_invocations=count_invocations,
    )
    write_hiz(d.hiz, key, info, rules)
    d.entries.shade = o.use(kernels.shade(key, info, fragment))
    packs = key.quads and key.samples is None and lanes > 4 and not info.has_side_effects  # stores keep the order of rows
    coverage = kernels.coverage(lanes, key.quads, info.has_loops, key.samples, packs=packs, is_conservative=is_conservative)
    d.entries.coverage = o.use(coverage)
    return ()


WRITING = (
    Step("vertex needs", _needs, (Fact.VERTEX,), (Fact.VERTEX_NEEDS,)),
    Step("fragment needs", _fragment, (Fact.FRAGMENT,), (Fact.FRAGMENT_NEEDS, Fact.WRITES)),
    Step("interface", _interface, (Fact.VERTEX, Fact.FRAGMENT, Fact.LINK), (Fact.INTERFACE, Fact.IS_WINDOW_SPACE)),
    Step(
        "rasterizer",
        _rasterizer,
        (
            *(Fact.RASTERIZER, Fact.MODE, Fact.FRAMEBUFFER, Fact.IS_WINDOW_SPACE, Fact.VIEWPORTS, Fact.CLIP_PLANES, Fact.POLYGON_STIPPLE),
            *(Fact.SAMPLE_MASK, Fact.SAMPLE_LOCATIONS, Fact.COUNT_STATISTICS),
        ),
        (Fact.TOPOLOGY, Fact.SHAPE, Fact.IS_CONSERVATIVE, Fact.SLOT_RULES, Fact.TILE_RULES),
    ),
    Step("assembly", _assembly, (Fact.TOPOLOGY, Fact.MODE, Fact.INDEX_SIZE, Fact.IS_WRITTEN_OUT), shades_vertices=True),
    Step("slots", _slots, (Fact.INTERFACE, Fact.SLOT_RULES, Fact.IS_STORED), (Fact.FRONT, Fact.TILE_SLOTS)),
    Step("inputs", _inputs, (Fact.VERTEX_ELEMENTS, Fact.VERTEX), (Fact.LAYOUT,), shades_vertices=True),
    Step("tests", _tests, (Fact.DEPTH_STENCIL_ALPHA, Fact.FRAMEBUFFER), (Fact.TESTS,)),
    Step("targets", _targets, (Fact.BLEND, Fact.FRAMEBUFFER, Fact.WRITES), (Fact.TARGETS,)),
)
"""Steps that request no kernel. They decide whether a draw has a pixel."""

ENTERING = (
    Step("vertex keys", _keys, (Fact.VERTEX_NEEDS,), (Fact.VERTEX_KEYS,), Processor.VERT, shades_vertices=True),
    Step("fragment keys", _keys, (Fact.FRAGMENT_NEEDS,), (Fact.FRAGMENT_KEYS,), Processor.FRAG),
    Step("vertex lanes", _vertex_lanes, (Fact.VERTEX, Fact.VERTEX_NEEDS, Fact.IS_TINY), (Fact.VERTEX_LANES,)),
    Step("fetch", _fetch, (Fact.LAYOUT, Fact.VERTEX_LANES), shades_vertices=True),
    Step("used inputs", _used_inputs, (Fact.FRAGMENT, Fact.TARGETS), (Fact.USED_INPUTS,), shades_vertices=True),
    Step("exposed outputs", _exposed, (Fact.INTERFACE, Fact.SLOT_RULES, Fact.USED_INPUTS), (Fact.EXPOSED,), shades_vertices=True),
    Step("vertex shader", _vertex_shader, (Fact.VERTEX, Fact.VERTEX_KEYS, Fact.VERTEX_LANES, Fact.EXPOSED), shades_vertices=True),
    Step("front", _front, (Fact.FRONT, Fact.SHAPE, Fact.IS_CONSERVATIVE, Fact.IS_TINY, Fact.IS_STORED, Fact.VERTEX_LANES)),
    Step(
        "shading",
        _shading,
        (
            *(Fact.FRAGMENT, Fact.FRAGMENT_NEEDS, Fact.FRAGMENT_KEYS, Fact.IS_CONSERVATIVE, Fact.TILE_RULES, Fact.TILE_SLOTS),
            *(Fact.WINDOW_RECTANGLES, Fact.TESTS, Fact.TARGETS, Fact.MIN_SAMPLES, Fact.COUNT_SAMPLES, Fact.COUNT_STATISTICS, Fact.IS_FEW),
        ),
    ),
)
"""Steps that write entry points of kernels."""


def take(options: Options, steps: Iterable[Step], d: Draw, state: DrawState, facts: dict[Fact, Any]) -> None:
    """Run steps, and add their conclusions to `facts`."""
    for step in steps:
        if not (step.shades_vertices and facts[Fact.IS_STORED]):
            bindings = () if step.stage is None else (state.stage[step.stage],)
            facts.update(zip(step.concludes, step.run(options, d, *[facts[fact] for fact in step.facts], *bindings)))
