"""A new shader stage touches one place of each layer: only listed modules spell the names of tessellation's stages.

The two tessellation stages stand for all stages between the vertex and the fragment shader. Modules that treat stages alike read
tgsi.language.facts.stages instead. Docstrings and comments may name a stage anywhere.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

import pytest

from tests.house.imports import nodes, trees

#: Modules that may spell the name of a stage -> the reason.
ALLOWED = {
    "tgsi.language.facts.enums": "numbers of stages",
    "tgsi.language.facts.stages": "facts of stages: order, calls, properties, rows, groups",
    "tgsi.language.facts.properties": "properties of stages",
    "tgsi.language.facts.semantics": "semantics of stages",
    "tgsi.language.facts.files": "register files with a row for each vertex, in words",
    "tgsi.language.codes": "explanations of errors",
    "tgsi.language.text.advice.synonyms": "other languages' words for stages, and signs of a stage",
    "frontends.glsl.request": "endings of files and words that name stages, and signs of each in a text",
    "frontends.glsl.hlsl.semantics": "stages that write system values of vertices",
    "frontends.spirv.interface": "which of the two stages of tessellation writes a patch's values, and which reads them",
    "frontends.spirv.emit.stages": "execution models and modes of SPIR-V",
    "frontends.spirv.emit.variables": "inputs and outputs with a row for each vertex",
    "backends.glsl.code": "outputs with a row for each vertex",
    "backends.glsl.layouts": "layouts of stages in GLSL",
    "backends.glsl.stages": "inputs, outputs and values of stages in GLSL",
    "backends.spirv.interface": "inputs and outputs with a row for each vertex",
    "backends.spirv.stages": "execution models and modes of SPIR-V",
    "passes.validate.stages": "largest values of properties",
    "backends.pipe.enums": "Gallium's numbers of stages",
    "backends.pipe.foreign_enums": "other interfaces' names of stages",
    "backends.run.arguments": "the shape of a run of each stage",
    "tgsi.equality": "generated inputs of a run of each stage",
    "tgsi.insight.primitives": "reasons why a stage outputs no primitive",
    "backends.device.calls.objects": "names of shaders in the documents, and effects of None",
    "backends.gallium.context.object_calls": "the methods create_, bind_ and destroy_ of each stage",
    "backends.geometry.stage_kinds": "the stages between the vertex shader and the rasterizer",
    "backends.geometry.tessellation": "tessellation itself",
    "frontends.glsl.compatibility": "names of the fixed functions for each stage",
    "tgsi.opengl.gets.limits": "limits of OpenGL for each stage",
    "tgsi.opengl.objects.linked": "Gallium's numbers of OpenGL's stages",
    "tgsi.opengl.native_calls": "patches are drawn with a tessellation evaluation shader alone",
    "tgsi.opengl.objects.program": "types of OpenGL's shaders",
    "tgsi.opengl.objects.linking": "Gallium's names of OpenGL's stages",
    "tgsi.opengl.drawing.programs": "the stages of OpenGL that a draw binds",
    "tgsi.opengl.stages.pipelines": "bits of stages in a program pipeline",
    "tgsi.validation.declared": "vertices of a primitive, by the last stage",
    "tgsi.opengl.commands.draws": "patches are drawn with a tessellation evaluation shader alone",
    "tgsi.opengl.commands.program_queries": "parameters of programs for each stage",
    "tgsi.opengl.commands.program_resources": "parameters of resources for each stage",
}

_NAMES = re.compile(r"(?<![a-z])(?:tess?_?(?:eval|ctrl|control|evaluation)|tes|tcs|evaluation)(?![a-z])", re.IGNORECASE)
_TEXTS = re.compile(r"\b(?:TESS_EVAL|TESS_CTRL|TES|TCS|tes|tcs)\b|\b(?:TES|TCS|tes|tcs)_")


def spelled_stages(tree: ast.Module) -> Iterator[str]:
    """Places in a module that spell a tessellation stage, as names or in strings other than docstrings."""
    bodies = (node.body for node in nodes(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)))
    docstrings = {id(item.value) for body in bodies for item in body if isinstance(item, ast.Expr)}
    for node in nodes(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found = _NAMES.search(name)
            case ast.Constant(value=str() as name) if id(node) not in docstrings:
                found = _TEXTS.search(name)
            case _:
                continue
        if found:
            yield name


@functools.cache  # not at import: every worker imports this module, and one of them runs the test
def found() -> dict[str, list[str]]:
    """Spelled stages of each module that has some."""
    return {module: names for module, tree in trees().items() if (names := sorted(set(spelled_stages(tree))))}


def owner(module: str) -> str | None:
    """Entry of ALLOWED to which a module belongs: its own, or that of its package."""
    return next((name for name in ALLOWED if f"{module}.".startswith(f"{name}.")), None)


def test_only_listed_modules_spell_the_name_of_a_stage() -> None:
    assert {module: names[:4] for module, names in found().items() if owner(module) is None} == {}


def test_every_listed_module_does() -> None:
    assert {owner(module) for module in found()} == set(ALLOWED)


@pytest.mark.parametrize(
    "text",
    [
        "x = Processor.TESS_EVAL",
        "state.tes = 1",
        "def bind_tcs_state(): pass",
        "class TessControl: pass",
        "def f(evaluation_shader): pass",
        'NAMES = {"tes": 1}',
        'if name == "TES_SPACING": pass',
    ],
)
def test_a_spelled_stage_is_found(text: str) -> None:
    assert list(spelled_stages(ast.parse(text)))


@pytest.mark.parametrize(
    "text", ['"""TESS_EVAL programs."""', "tests = 1", "bytes = attestation", "# TESS_EVAL", "reevaluation = 1", "x.tess_levels"]
)
def test_other_words_are_not(text: str) -> None:
    assert not list(spelled_stages(ast.parse(text)))
