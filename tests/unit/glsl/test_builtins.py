"""Built-in names: each version has those that the tables say, by our compiler and by Mesa's."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import tgsi
from frontends.glsl.builtins import BUILT_INS, NEVER
from frontends.glsl.legacy import DESKTOP_VERSIONS, ES_TARGETS
from tests.nights import sampled
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.glsl.mesa import Judge, needs_mesa
from tests.unit.glsl.uses import USES, joined, text_of

DESKTOP, ES = sorted(DESKTOP_VERSIONS), sorted(ES_TARGETS)
VERSIONS = [(version, False) for version in DESKTOP] + [(version, True) for version in ES]
ADDING = sorted({name for item in BUILT_INS.values() for name in item.extensions})
MESA_LAST = 450
LENIENT = {"determinant", "gl_NumSamples", "gl_TessCoord", "barrier"}
"""Names that Mesa has in versions before the specification's, or whose use needs a stage of a later one."""


def test_every_name_has_a_use() -> None:
    assert set(USES) == set(BUILT_INS)


def test_the_places_of_a_name_are_said_in_words() -> None:
    assert str(BUILT_INS["fma"]) == "#version 400 and 320 es, GL_ARB_gpu_shader5, GL_EXT_gpu_shader5 and GL_OES_gpu_shader5"
    assert str(BUILT_INS["anyInvocation"]) == "#version 460"
    assert str(BUILT_INS["gl_DrawIDARB"]) == "GL_ARB_shader_draw_parameters"


@needs_glslang
@pytest.mark.parametrize(("version", "is_es"), sampled(VERSIONS, 3))
def test_a_version_has_all_its_names(version: int, is_es: bool) -> None:
    stages: dict[str, list[str]] = defaultdict(list)
    for name, item in BUILT_INS.items():
        if item.is_in(version, is_es) and not (name == "barrier" and version == 310):  # compute shaders alone have it there
            stages[USES[name][0]].append(name)
    for stage, names in stages.items():
        tgsi.compile(joined(names, version, is_es), stage=stage)


@needs_glslang
@pytest.mark.parametrize("extension", sampled(ADDING, 6))
def test_an_extension_adds_its_names_to_older_versions(extension: str) -> None:
    is_es = extension.startswith(("GL_OES", "GL_EXT"))
    names = [name for name, item in BUILT_INS.items() if extension in item.extensions]
    for name in names:
        first = BUILT_INS[name].es if is_es else BUILT_INS[name].desktop
        older = max(version for version in (ES if is_es else DESKTOP) if version < min(first, MESA_LAST + 1))
        text, stage = text_of(name, older, is_es, extension)
        tgsi.compile(text, stage=stage)


@pytest.mark.peers
@needs_mesa
@pytest.mark.parametrize("is_es", [False, True])
def test_mesa_has_the_names_of_the_tables(is_es: bool) -> None:
    judge = Judge(is_es)
    versions = ES if is_es else [version for version in DESKTOP if version <= MESA_LAST]
    wrong = []
    for name, item in BUILT_INS.items():
        stated = item.es if is_es else item.desktop
        first = next((version for version in versions if judge.takes(*text_of(name, version, is_es))), NEVER)
        if first != (stated if stated <= MESA_LAST else NEVER) and name not in LENIENT:
            wrong.append((name, stated, first))
    extra = {"gl_MaxVertexOutputComponents", "gl_MaxFragmentInputComponents", "gl_MaxGeometryVaryingComponents"} if is_es else set()
    assert [item for item in wrong if item[0] not in extra] == []


@needs_glslang
@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("unpackHalf2x16(0x3800c000u), unpackSnorm2x16(0x7fff8001u)", [-2, 0.5, -1, 1]),
        ("unpackUnorm2x16(0xffff0000u), unpackHalf2x16(packHalf2x16(vec2(0.25, -8.0)))", [0, 1, 0.25, -8]),
        ("unpackSnorm2x16(packSnorm2x16(vec2(-1, 1))), unpackUnorm2x16(packUnorm2x16(vec2(0, 2)))", [-1, 1, 0, 1]),
    ],
)
def test_es_3_00_packs_numbers(expression: str, result: list[float]) -> None:
    text = f"#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() {{ c = vec4({expression}); }}"
    program = tgsi.compile(text, stage="frag")
    for engine in ("interp", "jit"):
        found = tgsi.run(program, np.zeros((1, 1, 4), np.float32), engine=engine).floats[0, 0]
        assert [float(number) for number in found] == result


@needs_glslang
def test_a_text_may_have_functions_of_names_that_later_versions_have() -> None:
    text = """#version 330
#extension GL_ARB_gpu_shader5 : enable
in vec4 v; out vec4 c;
float packed(float patch) { return patch * 2.0; }
vec4 dFdxFine(vec4 shared) { return shared + 1.0; }
void main() { float buffer = fma(v.x, 2.0, 1.0); c = vec4(packed(buffer), dFdxFine(v).x, 0, 0); }"""
    found = tgsi.run(tgsi.compile(text, stage="frag"), np.full((1, 1, 4), 3, np.float32)).floats[0, 0]
    assert [float(number) for number in found[:2]] == [14, 4]


@needs_glslang
def test_the_size_of_a_subgroup_is_a_system_value_and_no_uniform() -> None:
    head = "#version 450\n#extension GL_ARB_shader_ballot : require\nuniform float u;\nout vec4 c;\n"
    program = tgsi.compile(head + "void main() { c = vec4(gl_SubGroupSizeARB, u, 0.0, 1.0); }", stage="frag", language="glsl")
    uniforms = program.interface.uniforms if program.interface is not None else None
    assert uniforms is not None
    assert [(item.name, item.offset) for item in uniforms.members.values()] == [("u", 0)]
    ran = tgsi.run(program, np.zeros((4, 1, 4), np.float32), constants={0: np.full((1, 4), 0.5, np.float32)})
    assert ran.floats[:, 0].tolist() == [[4.0, 0.5, 0.0, 1.0]] * 4
