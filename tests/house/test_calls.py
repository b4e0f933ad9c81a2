"""A Gallium call is understood in one row of the table of calls: few other modules name it, each for a reason."""

from __future__ import annotations

import ast
import functools

import pytest

from tests.house.imports import nodes, trees

FRONTEND = "the OpenGL frontend, a caller like Mesa's state tracker"
TABLE, ENTRY = "its row", "the generated names of entries; an entry that does more than its row"
BEGIN = "the state in which a recording begins"
SCENE = "generated scenes"
METHOD, PART, CALLER = "the method, declared for other parts", "a part that calls the method", "a caller"
#: Calls -> modules that name them in code, by the reason.
NAMED = {
    "set_vertex_buffers": {
        TABLE: ["backends.device.calls.parameters"],
        ENTRY: ["backends.entries.catalog", "backends.entries.names"],
        METHOD: ["backends.gallium.context.buffers", "backends.gallium.context.core"],
        PART: ["backends.gallium.context.named_bindings", "backends.gallium.context.recording.bundle"],
        CALLER: ["tgsi.tools.compile.draw.attributes", "tgsi.tools.replay.state_calls", "tgsi.tools.vtest.commands.draws"],
        SCENE: ["tgsi.tools.verify.scenes"],
        FRONTEND: ["tgsi.opengl.drawing.vertices", "tgsi.opengl.fixed.primitives", "tgsi.opengl.fixed.rectangles"],
        BEGIN: ["backends.gallium.tracing.bound_calls", "backends.gallium.tracing.history"],
        "a draw before clients come": ["tgsi.tools.vtest.server"],
    },
    "set_constant_buffer": {
        TABLE: ["backends.device.calls.parameters"],
        ENTRY: ["backends.entries.catalog", "backends.entries.names"],
        METHOD: ["backends.gallium.context.buffers", "backends.gallium.context.core"],
        PART: ["backends.gallium.context.many_draws", "backends.gallium.context.named_bindings"],
        CALLER: ["tgsi.tools.compile.draw.uniforms", "tgsi.tools.replay.resource_calls", "tgsi.tools.vtest.commands.draws"],
        FRONTEND: ["tgsi.opengl.drawing.programs", "tgsi.opengl.fixed.rectangles"],
        BEGIN: ["backends.gallium.tracing.bound_calls"],
    },
    "set_index_buffer": {
        TABLE: ["backends.device.calls.parameters"],
        ENTRY: ["backends.entries.catalog", "backends.entries.names"],
        METHOD: ["backends.gallium.context.buffers"],
        PART: ["backends.gallium.context.recording.bundle"],
        CALLER: ["tgsi.tools.replay.resource_calls", "tgsi.tools.vtest.commands.draws"],
        BEGIN: ["backends.gallium.tracing.bound_calls", "backends.gallium.tracing.history"],
    },
    "draw_vbo": {
        TABLE: ["backends.device.calls.work"],
        ENTRY: ["backends.entries.catalog", "backends.entries.names"],
        METHOD: ["backends.gallium.context.draws", "backends.gallium.context.core"],
        PART: ["backends.gallium.context.many_draws", "backends.gallium.context.recording.bundle"],
        "draws are recorded as changes of the one before": ["backends.gallium.context.recording.encoder"],
        CALLER: ["tgsi.tools.compile.draw.drawing", "tgsi.tools.replay.work_calls", "tgsi.tools.vtest.commands.draws"],
        FRONTEND: ["tgsi.opengl.commands.draws", "tgsi.opengl.fixed.primitives", "tgsi.opengl.fixed.rectangles"],
        "warnings about it": ["tgsi.validation.device"],
        SCENE: ["tgsi.tools.verify.scenes"],
        "a draw before clients come": ["tgsi.tools.vtest.server"],
        "its event in the history of a pixel": ["tgsi.insight.calls", "tgsi.insight.history_of_pixel"],
    },
    "set_blend_color": {
        TABLE: ["backends.device.calls.parameters"],
        ENTRY: ["backends.entries.names"],
        METHOD: ["backends.gallium.context.parameters"],
        CALLER: ["tgsi.tools.replay.state_calls", "tgsi.tools.vtest.commands.states"],
        SCENE: ["tgsi.tools.verify.scenes"],
        FRONTEND: ["tgsi.opengl.drawing.fragment"],
        BEGIN: ["backends.gallium.tracing.bound_calls"],
    },
}


@functools.cache
def names_of(tree: ast.AST) -> set[str]:
    """Attributes, functions and whole texts of a module: the ways in which code names a call."""
    found = set()
    for node in nodes(tree):
        match node:
            case ast.Attribute(attr=name) | ast.FunctionDef(name=name) | ast.Constant(value=str() as name):
                found.add(name)
    return found


@pytest.mark.parametrize("call", NAMED)
def test_modules_that_name_a_call_are_those_of_the_list(call: str) -> None:
    known = {module for modules in NAMED[call].values() for module in modules}
    assert {module for module, tree in trees().items() if call in names_of(tree)} == known


def test_planted_names_are_found() -> None:
    assert names_of(ast.parse("a.draw_vbo(); CALLS['clear']\ndef flush(): pass")) == {"draw_vbo", "clear", "flush"}
