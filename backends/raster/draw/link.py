"""The link of a vertex and a fragment shader: the output register that fills each slot of the vertex record."""

from __future__ import annotations

from backends.device.bound import Shader
from backends.llvm.program.presence import wants_presence
from backends.raster.layouts import DEFAULT_REGISTER, MAX_DISTANCES, MAX_INPUTS, MAX_OUTPUTS, NO_REGISTER, Mode
from backends.raster.tile.buffer_keys import TargetKeys
from backends.raster.tile.fragment import NO_FRAGMENTS, SlotInfo, describe
from linkage.link import connect
from linkage.options import IDENTITY, LinkState
from linkage.usage import interface_of
from passes.analysis import facts
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import Semantic
from tgsi.language.mesh import mesh_layout
from tgsi.language.program import Program
from tgsi.language.record import record


@record(kw_only=True)
class Linked:
    """Output registers by meaning; DEFAULT_REGISTER reads 0, 0, 0, 1."""

    source: tuple[int, ...]  # one entry for each setup slot, as in the next two
    back: tuple[int, ...]  # registers that triangles facing back read under two-sided light
    is_color: tuple[bool, ...]
    position: int
    point_size: int | None
    edge_flag: int | None
    layer: int | None
    viewport: int | None
    rows: tuple[tuple[int, int] | None, ...]  # registers of primitive rows (front, back) that fill setup slots; empty if there are none
    layer_row: int  # register of the primitive row that names the layer, or NO_REGISTER; `layer` is DEFAULT_REGISTER then
    viewport_row: int  # the same for the viewport
    vertex_registers: int  # registers of a vertex that the program leaves in memory
    is_layer_relative: bool  # the viewport's number is added to the layer
    clip_vertex: int
    clip_distance: tuple[int | None, ...]
    num_distances: int  # clip distances that the shader declares; they come first
    num_culls: int  # cull distances that the shader declares; they follow
    has_user_planes: bool  # user planes apply: VS_PROHIBIT_UCPS is not set
    wants_system: bool
    num_inputs: int
    is_window_space: bool


def link_shaders(vertex: Shader, fragment: Shader | None, state: LinkState = IDENTITY) -> Linked:
    """The link of two shaders, cached with the vertex shader's program.

    fragment: None means the empty shader. state: the bound link state.

    Raises:
        UnsupportedError: a program has too many inputs or outputs for a draw.
    """
    program = None if fragment is None else fragment.program
    if state is IDENTITY:  # the default state is omitted, which halves the time to hash the key of the fact
        return facts.of(vertex.program, _link, program)
    return facts.of(vertex.program, _link, program, state)


def _link(program: Program, fragment: Program | None, state: LinkState = IDENTITY) -> Linked:
    """The columns of the LinkTable, sorted by setup slot."""
    info = NO_FRAGMENTS if fragment is None else facts.of(fragment, describe)
    outputs = program.file_size(File.OUT)
    if outputs > MAX_OUTPUTS or info.num_slots > MAX_INPUTS:
        raise UnsupportedError.at("B001", f"a shader may have {MAX_OUTPUTS} outputs and {MAX_INPUTS} inputs")
    by_semantic = interface_of(program).by_semantic
    source, back, colors = [], [], []
    if fragment is not None:
        table = connect(program, fragment, state=state)
        for row in sorted(table.rows, key=lambda r: r.slot):
            front = _register(row.output_register)
            source.append(front)
            behind = table.back_register(row)
            back.append(front if behind is None else behind)
            colors.append(row.semantic.name == "COLOR")
    else:
        source = [_register(by_semantic.get(state.source(s.semantic))) for s in info.slots]
        back, colors = list(source), [False] * len(source)
    while len(source) < info.num_slots:  # the point coordinate has no output
        source.append(DEFAULT_REGISTER)
        back.append(DEFAULT_REGISTER)
        colors.append(False)
    layout = mesh_layout(program)
    rows = {register: register - layout.first_primitive for register in layout.per_primitive}
    taken = tuple((rows[s], rows.get(b, rows[s])) if s in rows else None for s, b in zip(source, back)) if rows else ()
    if rows:  # a color and its back color must both be per vertex or both per primitive, otherwise the back color is ignored
        back = [DEFAULT_REGISTER if s in rows else s if b in rows else b for s, b in zip(source, back)]
        source = [DEFAULT_REGISTER if s in rows else s for s in source]
    layer, viewport = by_semantic.get(Semantic("LAYER", 0)), by_semantic.get(Semantic("VIEWPORT_INDEX", 0))
    viewport = by_semantic.get(Semantic("VIEWPORT_MASK", 0), viewport)  # primitives in memory have a number instead of the mask
    position = _register(by_semantic.get(Semantic("POSITION", 0)))
    distances = tuple(by_semantic.get(Semantic("CLIPDIST", k)) for k in range(2))
    clips, culls = program.property("NUM_CLIPDIST_ENABLED"), program.property("NUM_CULLDIST_ENABLED")
    clips = min(max(clips, 0) if clips or culls else 4 * sum(d is not None for d in distances), MAX_DISTANCES)
    return Linked(
        source=tuple(source),
        back=tuple(back),
        is_color=tuple(colors),
        position=position,
        point_size=by_semantic.get(Semantic("PSIZE", 0)),
        edge_flag=by_semantic.get(Semantic("EDGEFLAG", 0)),
        layer=DEFAULT_REGISTER if layer in rows else layer,
        viewport=DEFAULT_REGISTER if viewport in rows else viewport,
        rows=taken if any(taken) else (),
        layer_row=NO_REGISTER if layer is None else rows.get(layer, NO_REGISTER),
        viewport_row=NO_REGISTER if viewport is None else rows.get(viewport, NO_REGISTER),
        vertex_registers=layout.vertex_registers,
        is_layer_relative=program.property("LAYER_VIEWPORT_RELATIVE") != 0,
        clip_vertex=by_semantic.get(Semantic("CLIPVERTEX", 0), position),
        clip_distance=distances,
        num_distances=clips,
        num_culls=min(max(culls, 0), MAX_DISTANCES - clips),
        has_user_planes=program.property("VS_PROHIBIT_UCPS") == 0,
        wants_system=bool(program.declared(File.SV)) or wants_presence(program),
        num_inputs=program.file_size(File.IN),
        is_window_space=program.property("VS_WINDOW_SPACE_POSITION") != 0,
    )


def used_inputs(fragment: Shader | None, targets: TargetKeys) -> int:
    """Bit r is set if IN register r of a fragment shader may be flat and its exact bits matter, not only its value as a number."""
    if fragment is None:
        return 0
    info = facts.of(fragment.program, describe)
    registers = {slot.register for slot in info.slots if slot.mode(flatshade=True) is Mode.FLAT}
    if not registers:
        return 0
    from backends.llvm.program.nan_bits import nan_bits  # most shaders have no flat inputs

    used = {register for register, _ in nan_bits(fragment.program, info.exposed_outputs(targets)).inputs}
    return sum(1 << register for register in used & registers)


def exposed_outputs(linked: Linked, slots: tuple[SlotInfo, ...], flatshade: bool, used: int) -> int:
    """Bit r is set if the bits of OUT register r of the vertex shader are used. used: of `used_inputs`.

    Bits matter in outputs that select the layer or the viewport, and in flat inputs whose bits the fragment shader uses. Interpolated
    inputs are exempt, because interpolation does not preserve the bits of NaNs.
    """
    registers = [linked.layer, linked.viewport]
    for slot, source, back in zip(slots, linked.source, linked.back):
        if used >> slot.register & 1 and slot.mode(flatshade) is Mode.FLAT:
            registers += [source, back]
    return sum(1 << register for register in {*registers} if register is not None and register != DEFAULT_REGISTER)


def _register(number: int | None) -> int:
    return DEFAULT_REGISTER if number is None else number
