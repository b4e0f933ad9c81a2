"""Linked rendering equals rendering with both programs renumbered by hand, and with the link of each device written out."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from linkage import LinkTable, linked_program
from linkage.device_programs import device_pair
from linkage.link import connect
from passes.lower.registers import move_registers
from passes.lower.renumber import renumber
from passes.validate.semantics import SM3
from tests.property.decoded_links import READERS, decoded, expected
from tests.property.decoded_programs import Values, write_out
from tests.property.linked_pairs import Pair
from tests.property.linked_pairs import pair as generated
from tgsi import gallium as g
from tgsi.language.diagnostics import LinkError
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

pytestmark = pytest.mark.light

STRIP = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)
INDICES = (0, 31, 32, 63, 64, 216, 217, 218, 219, 255)


@pytest.fixture(scope="module")
def screen() -> g.Screen:
    return g.Screen(threads=1)


def pair(choose: random.Random) -> tuple[Program, Program]:
    names = [f"GENERIC[{index}]" for index in choose.sample(INDICES, choose.randint(1, 8))]
    outputs = ["POSITION", *choose.sample(names, choose.randint(0, len(names)))]
    choose.shuffle(outputs)
    read = choose.sample(names, len(names))
    vertex = ["VERT", "DCL IN[0]", *(f"DCL OUT[{i}], {name}" for i, name in enumerate(outputs))]
    for i in range(len(outputs)):
        vertex.append(f"IMM[{i}] FLT32 {{{', '.join(f'{choose.uniform(0, 0.1):.4f}' for _ in range(4))}}}")
    vertex += [f"MOV OUT[{i}], IN[0]" if name == "POSITION" else f"ADD OUT[{i}], IN[0], IMM[{i}]" for i, name in enumerate(outputs)]
    fragment = ["FRAG", *(f"DCL IN[{i}], {name}, LINEAR" for i, name in enumerate(read)), "DCL OUT[0], COLOR", "DCL TEMP[0]"]
    fragment += [f"MAD TEMP[0], TEMP[0], TEMP[0], IN[{i}]" for i in range(len(read))]
    return parse("\n".join([*vertex, "END", ""])), parse("\n".join([*fragment, "MOV OUT[0], TEMP[0]", "END", ""]))


def render(screen: g.Screen, vertex: Program, fragment: Program) -> NDArray[np.float32]:
    with screen.context_create() as ctx:
        target = screen.resource_create(width0=16, height0=16, format=g.Format.R32G32B32A32_FLOAT)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.clear("COLOR")
        ctx.set_viewport_states([g.ViewportState((8.0, 8.0, 0.5), (8.0, 8.0, 0.5))])
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT")]))
        ctx.set_vertex_buffers([STRIP])
        ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)
        ctx.flush()
        return np.array(target.texels()[0], np.float32)


@pytest.mark.parametrize("seed", range(4))
def test_renumbering_by_hand_changes_no_pixel(screen: g.Screen, seed: int) -> None:
    choose = random.Random(seed)
    vertex, fragment = pair(choose)
    expected = render(screen, vertex, fragment)
    outputs, inputs = vertex.file_size(File.OUT), fragment.file_size(File.IN)
    moved = (
        move_registers(vertex, File.OUT, dict(enumerate(choose.sample(range(outputs), outputs)))),
        move_registers(fragment, File.IN, dict(enumerate(choose.sample(range(inputs), inputs)))),
    )
    legal = renumber((vertex, fragment), SM3, reserve=range(8)).programs
    patched = vertex, linked_program(vertex, fragment)
    other = linked_program(vertex, fragment, moved="vertex"), fragment
    chips = (device_pair(vertex, fragment, name) for name in ("nv30", "nv40", "i915"))
    for programs in (moved, (legal[0], legal[1]), patched, other, *chips):
        assert render(screen, *programs).tobytes() == expected.tobytes()


# -- links of devices, written out -------------------------------------------------------------------------------------------
FACES = np.array([[-1, -1, 0.2, 1], [0, -1, 0.3, 1.5], [-1, 1, 0.1, 1], [1, -1, 0, 1], [0.1, 0.5, 0.4, 2], [0.9, 0.9, 0.2, 1]], np.float32)
"""Two triangles, one that shows its front and one that shows its back, with different w."""
VALUES = np.array([[k % 2, 0.3 * k, 1 - 0.1 * k, 0.05 * k] for k in range(6)], np.float32)
"""Second input of the vertices; x is a condition of generated programs."""


def render_pair(screen: g.Screen, made: Pair, vertex: Program, fragment: Program, sprites: int) -> bytes:
    """Draw points if the options replace inputs by their coordinate, otherwise the two triangles."""
    options = made.options
    with screen.context_create() as ctx:
        target = screen.resource_create(width0=16, height0=16, format=g.Format.R32G32B32A32_FLOAT)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.clear("COLOR")
        ctx.set_viewport_states([g.ViewportState((8.0, 8.0, 0.5), (8.0, 8.0, 0.5))])
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        if vertex is made.vertex and made.state.mapping:
            ctx.bind_link_state(ctx.create_link_state(dict(made.state.mapping.items())))
        state = ctx.create_rasterizer_state(
            light_twoside=options.light_twoside,
            flatshade=options.flatshade,
            sprite_coord_enable=sprites,
            sprite_coord_mode="LOWER_LEFT" if options.sprite_lower_left else "UPPER_LEFT",
            point_quad_rasterization=True,
            point_size=5.0,
        )
        ctx.bind_rasterizer_state(state)
        elements = [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state(elements))
        ctx.set_vertex_buffers([np.hstack([FACES, VALUES])])
        ctx.draw_vbo(mode="POINTS" if options.sprite_coord_enable else "TRIANGLES", count=6)
        ctx.flush()
        return np.array(target.texels()[0], np.float32).tobytes()


def of_device(made: Pair, table: LinkTable) -> Values:
    """The values of a device's link, with those of the software profile where a finding names the input."""
    wanted, got = expected(made, table), decoded(made, table)
    named = " ".join(item.message for item in table.findings if item.code in ("K015", "K034", "K036"))
    return {place: wanted[place] if f"IN[{place[0]}]" in named else value for place, value in got.items()}


def compare(screen: g.Screen, seed: int) -> set[str]:
    """Draw one pair through the link and through every device's link written out. Returns the profiles that linked it."""
    made = generated(seed, rare=0.0)
    shown: dict[str, bytes] = {}
    linked = set()
    picture = render_pair(screen, made, made.vertex, made.fragment, made.options.sprite_coord_enable)
    tables = {"software": expected(made, connect(made.vertex, made.fragment, state=made.state, options=made.options))}
    for profile in READERS:
        try:
            table = connect(made.vertex, made.fragment, profile, state=made.state, options=made.options)
        except LinkError:
            continue
        tables[profile] = dict(of_device(made, table))
    for profile, values in tables.items():
        written = write_out(made, values)
        key = f"{written.vertex}{written.fragment}"
        if key not in shown:  # most devices agree
            shown[key] = render_pair(screen, made, written.vertex, written.fragment, written.sprites)
        assert shown[key] == picture, f"seed {seed}: {profile}\n{made.vertex}\n{made.fragment}\n{written}"
        linked.add(profile)
    return linked


def test_every_device_draws_what_the_software_profile_draws(screen: g.Screen) -> None:
    linked = [compare(screen, seed) for seed in range(24)]
    assert set().union(*linked) == {"software", *READERS}


@pytest.mark.nightly
def test_every_device_draws_what_the_software_profile_draws_for_many_pairs(screen: g.Screen) -> None:
    linked = [compare(screen, seed) for seed in range(24, 600)]
    assert all(sum(profile in item for item in linked) > 20 for profile in READERS)
