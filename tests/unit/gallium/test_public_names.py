"""Public names of a context: Gallium's methods, a few of ours, and classes of `tgsi.gallium`."""

from __future__ import annotations

import copy
import pickle
import pydoc
import subprocess
import sys
from enum import Enum

import pytest

import tgsi
from tests.unit.gallium.test_screen import CONTEXT_METHODS, words
from tests.unit.picture import screen
from tgsi import gallium as g

__all__ = ["screen"]

STATES = words("blend rasterizer depth_stencil_alpha vertex_elements sampler vs fs gs tcs tes ts ms compute link")
"""Ours among them: ts and ms (task and mesh shaders), link (a link table of the caller)."""
ADDED = words("""
buffer_read capture checks counting device draw_many draw_mesh_tasks explain explain_invocation explain_primitive explain_vertex flags
is_destroyed is_observed order priv rebind_index_buffer rebind_vertex_buffers rebind_viewports record replay screen set_border_words
set_patch_vertices set_textures set_uniforms set_vertices state targets texture_read time_limit
""")
"""Names of ours, and the fields and later methods of pipe_context that its documents leave out: flags, priv, screen, set_patch_vertices."""
CLASSES = [name for name in g.__all__ if isinstance(getattr(g, name), type) and name != "Prim"]  # the Primitive of the language


def test_a_context_shows_the_methods_of_gallium_and_the_named_additions_alone(screen: g.Screen) -> None:
    shown = {name for name in dir(screen.context_create()) if not name.startswith("_")}
    triplets = {f"{verb}_{state}_state" for state in STATES for verb in ("create", "bind", "destroy", "delete")}
    assert shown == {*CONTEXT_METHODS, *ADDED, *triplets} - {"bind_sampler_state"}


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_shown_in_the_module_that_users_import(name: str) -> None:
    kind = getattr(g, name)
    assert (kind.__module__, kind.__qualname__) == ("tgsi.gallium", name)
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert f"tgsi.gallium.{name}" in repr(kind) or issubclass(kind, Enum)
    assert f"class {name} in module tgsi.gallium" in pydoc.plain(pydoc.render_doc(kind))


@pytest.mark.parametrize(
    "value", [g.Format.R8_UNORM, g.Bind.SAMPLER_VIEW, g.Prim.LINES, g.BlendState(), g.Box(1, 2, 3), g.VertexElement(4, g.Format.R8_UNORM)]
)
def test_members_and_templates_survive_a_pickle(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value)


def test_the_names_of_tgsi_itself_are_the_same_classes() -> None:
    code = "import tgsi; s = tgsi.Screen(); print(tgsi.Screen, type(s.context_create()), tgsi.Context, sep='|')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    context = "<class 'tgsi.gallium.Context'>"
    assert done.stdout == f"<class 'tgsi.gallium.Screen'>|{context}|{context}\n"
    assert tgsi.Context is g.Context
    assert tgsi.Screen is g.Screen
