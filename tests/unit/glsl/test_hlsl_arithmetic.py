"""HLSL gives the numbers of Direct3D's compilers: operators by type, casts, functions, parameters. The rest is refused by name."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.glsl.hlsl_rows import TABLES, F, N, Row, text_of

pytestmark = needs_glslang


def _wrong(rows: tuple[Row, ...]) -> list[str]:
    count = sum(len(row.expected) for row in rows)
    program = tgsi.compile(text_of(rows), stage="comp", language="hlsl")
    buffers = {
        0: np.zeros(count, np.uint32),
        1: np.array(F, np.float32).view(np.uint32),
        2: (np.array(N, np.int64) & 0xFFFFFFFF).astype(np.uint32),
    }
    words = np.asarray(tgsi.run(program, grid=(1, 1, 1), buffers=buffers, engine="interp").buffers[0]).view(np.uint32)
    wrong, place = [], 0
    for row in rows:
        part = words[place : place + len(row.expected)]
        place += len(row.expected)
        if row.is_whole:
            is_right = [int(word) for word in part] == [int(value) & 0xFFFFFFFF for value in row.expected]
        else:
            is_right = np.allclose(part.view(np.float32), row.expected, rtol=1e-5, atol=1e-5)
        if not is_right:
            shown = part.view(np.int32 if row.is_whole else np.float32).tolist()
            wrong.append(f"{row.before} {row.expression}: {shown} instead of {row.expected}")
    return wrong


@pytest.mark.parametrize("table", TABLES)
def test_numbers_are_those_of_direct3d(table: str) -> None:
    assert _wrong(TABLES[table]) == []


def _message(text: str, stage: str = "comp") -> str:
    with pytest.raises(tgsi.TgsiError) as caught:
        tgsi.compile(text, stage=stage, language="hlsl")
    return str(caught.value)


def _kernel(body: str) -> str:
    buffers = "RWStructuredBuffer<float> o : register(u0); RWStructuredBuffer<float> f : register(u1);\n"
    return buffers + "[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {\n" + body + "\n}\n"


@pytest.mark.parametrize("kind", ["int2x2", "uint3x2", "bool2x2"])
def test_matrices_of_whole_numbers_are_refused_by_name(kind: str) -> None:
    message = _message(_kernel(f"{kind} a = ({kind})1; {kind} b = a + a; o[0] = float(b[1][1]);"))
    assert f"`{kind}`" in message
    assert "^" in message


def test_a_product_of_a_matrix_and_a_vector_by_star_is_refused_with_the_way_out() -> None:
    message = _message(_kernel("float2x2 a = {f[0], f[1], f[2], f[3]}; float2 v = float2(f[4], f[5]);\nv = a * v; o[0] = v.x;"))
    assert "a product of a matrix and a vector; write mul(matrix, vector)" in message
    assert "3 | " in message or "4 | " in message


def test_products_of_matrices_of_different_sizes_are_refused() -> None:
    message = _message(_kernel("float2x3 a = (float2x3)f[0]; float3x2 b = (float3x2)f[1];\nfloat2x2 c = a * b; o[0] = c[0][0];"))
    assert "G001" in message


def test_a_lit_of_the_text_is_the_one_that_is_called() -> None:
    text = "float lit(float a, float b, float c) { return a + b + c; }\n" + _kernel("o[0] = lit(1, 2, f[0]);")
    program = tgsi.compile(text, stage="comp", language="hlsl")
    buffers = {0: np.zeros(1, np.uint32), 1: np.array([4], np.float32).view(np.uint32)}
    result = tgsi.run(program, grid=(1, 1, 1), buffers=buffers, engine="interp")
    assert np.asarray(result.buffers[0]).view(np.float32)[0] == 7


def test_errors_keep_their_lines_where_the_text_is_changed() -> None:
    message = _message(_kernel("o[0] = fmod(-5.5, 2.0);\no[1] = missing;"))
    assert "`missing`" in message
    assert "4 | o[1] = missing;" in message


def _semantics(text: str, stage: str) -> list[str]:
    program = tgsi.compile(text, stage=stage, language="hlsl")
    return [line.split(", ", 1)[1] for line in str(program).split("\n") if line.startswith("DCL OUT")]


def test_positions_of_inout_parameters_are_positions() -> None:
    first, second = _semantics("void main(inout float4 p : SV_Position, inout float2 uv : TEXCOORD0) {}", "vert")
    assert first == "POSITION"
    assert second.startswith("GENERIC")


def test_system_values_of_inout_parameters_keep_their_meaning() -> None:
    text = "void main(inout float4 p : SV_Position, inout uint l : SV_RenderTargetArrayIndex, inout uint w : SV_ViewportArrayIndex) {}"
    assert _semantics(text, "vert") == ["POSITION", "LAYER", "VIEWPORT_INDEX"]
    struct = "struct V { float4 p : SV_Position; float4 c : COLOR; };\nvoid main(inout V v) { v.p.x += 1; }"
    assert _semantics(struct, "vert")[0] == "POSITION"


@pytest.mark.parametrize(
    ("parameter", "stage"),
    [("inout float4 c : SV_Target0", "frag"), ("inout float d : SV_Depth", "frag"), ("inout float4 p : SV_Position", "frag")],
)
def test_system_values_that_a_stage_does_not_have_both_ways_are_refused(parameter: str, stage: str) -> None:
    message = _message(f"void main({parameter}) {{ }}", stage)
    assert "write `in` or `out`, not `inout`" in message
    assert "^" in message


@pytest.mark.parametrize("piece", ["1.0%(", "a*=(", "a*=a*=", "(float2x2)(int)", "a[b*=2]*=c;", "int a((", "const float2x2 A={"])
def test_hostile_repetitions_are_rewritten_or_refused_at_once(piece: str) -> None:
    text = "int a; " + piece * (60_000 // len(piece))
    assert "error" in _message(_kernel(text))
