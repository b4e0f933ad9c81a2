"""Objects as a reader of a terminal or a notebook sees them: short, and with everything escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

import tgsi
from tests.unit.picture import GENERIC, PASS, screen
from tgsi.language import notebook

VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[3]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n"
HOSTILE = "<script>alert('&\"')</script>"


class Outline(HTMLParser):
    """Tags that are open at the end, all tags, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def outline(text: str) -> Outline:
    """The tags and words of HTML in which every tag is closed."""
    found = Outline(text)
    assert found.open == []
    return found


# -- reprs ---------------------------------------------------------------------------------------------------------------
def test_programs_and_tables_have_short_reprs() -> None:
    vertex, fragment = tgsi.parse(VERTEX), tgsi.parse(GENERIC)
    assert repr(vertex) == "<Program VERT: 3 declarations, 3 instructions>"
    assert repr(tgsi.parse("FRAG\nEND")) == "<Program FRAG: 0 declarations, 1 instruction>"
    assert repr(tgsi.link(vertex, fragment)) == "<LinkTable software: 1 slot, 1 unmatched input, 1 dead output>"


def test_state_objects_name_what_is_not_the_default() -> None:
    context = screen().context_create()
    blend = context.create_blend_state(blend_enable=True, rgb_dst_factor="INV_SRC_ALPHA")
    assert repr(blend) == "<StateObject blend: rt=(blend_enable=True, rgb_dst_factor=INV_SRC_ALPHA)>"
    assert repr(context.create_rasterizer_state()) == "<StateObject rasterizer: defaults>"
    assert repr(context.create_vertex_elements_state([(0, "R32_FLOAT")])) == "<StateObject vertex_elements: 1 element>"
    depth = context.create_depth_stencil_alpha_state(depth={"enabled": True})
    assert repr(depth) == "<StateObject depth_stencil_alpha: depth=(enabled=True)>"
    context.destroy_blend_state(blend)
    assert repr(blend).endswith(", destroyed>")


def test_objects_of_a_context_have_reprs_of_a_line() -> None:
    context, target = screen().context_create(), screen().resource_create(width0=4, height0=4)
    shader = context.create_vs_state(PASS)
    assert re.fullmatch(r"<Shader \d+: <Program VERT: 4 declarations, 3 instructions>>", repr(shader))
    assert re.fullmatch(r"<Shader \d+: <Program COMP: 0 declarations, 1 instruction>>", repr(context.create_compute_state("COMP\nEND")))
    things: list[Any] = [context, screen(), target, shader, context.create_surface(target), context.create_sampler_view(target)]
    things += [context.create_sampler_state(min_img_filter="LINEAR"), context.create_query("OCCLUSION_COUNTER"), context.flush()]
    for thing in things:
        assert len(repr(thing)) < 140
        assert "\n" not in repr(thing)


# -- notebooks -----------------------------------------------------------------------------------------------------------
def test_a_link_table_is_a_table_with_its_findings() -> None:
    table = tgsi.link(tgsi.parse(VERTEX), tgsi.parse(GENERIC))
    found = outline(table._repr_html_())
    assert found.tags.count("table") == 1
    assert found.tags.count("tr") == 2
    assert {"GENERIC[0]", "nothing", "PERSPECTIVE", "profile software: 1 slot"} <= set(found.words)
    assert found.tags.count("li") == len(table.findings) == 2


@pytest.mark.parametrize("profile", [name for name in tgsi.PROFILES if name != "i965"])  # which links nothing
def test_links_of_every_profile_are_shown(profile: str) -> None:
    table = tgsi.link(tgsi.parse(PASS), tgsi.parse(GENERIC), profile=profile)
    words = "\n".join(outline(table._repr_html_()).words)
    assert all(line.strip() in words for line in table._lines())


def test_a_program_is_its_text() -> None:
    program = tgsi.parse(VERTEX)
    assert str(program).rstrip("\n") in outline(program._repr_html_()).words
    assert "<details open>" in program._repr_html_()


def test_a_long_program_is_closed_and_cut() -> None:
    program = tgsi.parse("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n" + "MOV OUT[0], IN[0]\n" * 1000 + "END\n")
    found = program._repr_html_()
    assert "<details>" in found
    assert f"... {1004 - notebook.MOST_LINES} more lines" in found
    assert len(found) < 100 * notebook.MOST_LINES


def test_a_screen_is_a_table_of_its_settings() -> None:
    with tgsi.Screen(threads=3, lanes=8, memory_limit=1 << 20, cache_dir=f"/tmp/{HOSTILE}") as shown:
        contexts = [shown.context_create(), shown.context_create()]
        contexts[0].destroy()
        words = outline(shown._repr_html_()).words
        assert {"threads", "3", "lanes", "8", "contexts", "1", f"/tmp/{HOSTILE}", "0 of 1048576 bytes, at most 0 so far"} <= set(words)
    assert " destroyed" in outline(shown._repr_html_()).words


def test_everything_is_escaped() -> None:
    parts = [
        notebook.heading(HOSTILE, HOSTILE),
        notebook.table([HOSTILE], [[HOSTILE]]),
        notebook.text(HOSTILE, HOSTILE),
        notebook.items([HOSTILE]),
    ]
    found = outline("".join(parts))
    assert "script" not in found.tags
    assert sum(HOSTILE in word for word in found.words) == 7


def test_long_tables_end_with_dots() -> None:
    found = outline(notebook.table(["n"], ([k] for k in range(1000))))
    assert found.tags.count("tr") == notebook.MOST_ROWS + 2
    assert found.words[-1] == "..."
