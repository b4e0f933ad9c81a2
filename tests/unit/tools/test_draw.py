"""`tgsi-compile --draw`: pictures of shaders, choices that the report names, and reasons for pictures that show nothing."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.language.command import Run
from tgsi.tools.compile.draw.known import attribute_of, plain

pytestmark = pytest.mark.light

VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL IN[2]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
DCL CONST[0..6]
DCL TEMP[0]
MUL TEMP[0], CONST[0], IN[0].xxxx
MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
ADD OUT[0], TEMP[0], CONST[3]
MOV OUT[1], IN[2]
MUL TEMP[0], CONST[4], IN[1].xxxx
MAD TEMP[0], CONST[5], IN[1].yyyy, TEMP[0]
MAD OUT[2], CONST[6], IN[1].zzzz, TEMP[0]
END
"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0..1]
IMM[0] FLT32 {0.36, 0.64, 0.68, 0.2}
TEX TEMP[0], IN[0], SAMP[0], 2D
DP3 TEMP[1].x, IN[1], IMM[0]
MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].wwww
MUL OUT[0], TEMP[0], TEMP[1].xxxx
END
"""
COPY = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n"
SHOW = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
SAMPLE = SHOW.replace("MOV OUT[0], IN[0]", "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nTEX OUT[0], IN[0], SAMP[0], 2D")
TINT = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with shaders, which is the current one."""
    monkeypatch.chdir(tmp_path)
    shaders = {"lit.vs": VERTEX, "lit.fs": FRAGMENT, "copy.vs": COPY, "show.fs": SHOW, "sample.fs": SAMPLE, "tint.fs": TINT}
    for name, text in shaders.items():
        Path(name).write_text(text)
    return tmp_path


def pixels(name: str | Path = "out.png") -> NDArray[np.uint8]:
    with Image.open(name) as image:
        return np.array(image)


def digest(name: str | Path = "out.png") -> str:
    return hashlib.sha256(pixels(name).tobytes()).hexdigest()[:16]


DIGESTS = {
    "lit.vs lit.fs --mesh cube": "fd2ed913263e68ae",
    "lit.vs lit.fs --mesh torus --samples 4": "a457faed0ee1f8c0",
    "copy.vs show.fs": "c77b56ca312c4d70",
    "sample.fs --mesh sphere": "55eed2fde74389c9",
    "lit.vs --mesh sphere --wireframe --show GENERIC[1]": "f12561a5978f16fc",
}
"""Commands and the digests of their pictures of 96 x 64."""


@pytest.mark.parametrize("command", DIGESTS)
def test_a_picture_has_its_digest(command: str, run: Run, files: Path) -> None:
    code, _, errors = run(*command.split(), "--size", "96x64", "--draw", "out.png")
    assert (code, errors) == (0, "")
    assert pixels().shape == (64, 96, 3)
    assert digest() == DIGESTS[command]


@pytest.mark.parametrize("threads", [0, 3])
def test_a_picture_is_the_same_for_every_number_of_threads(threads: int, run: Run, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_THREADS", str(threads))
    command = "lit.vs lit.fs --mesh torus --samples 4"
    assert run(*command.split(), "--size", "96x64", "--draw", "out.png")[0] == 0
    assert digest() == DIGESTS[command]


def test_the_report_names_every_choice(run: Run, files: Path) -> None:
    code, out, errors = run("lit.vs", "lit.fs", "--draw", "out.png", "--mesh", "cube", "--size", "32x32")
    assert (code, errors) == (0, "")
    assert out.splitlines()[1:] == [
        "  input    IN[0] <- position (the first that is free for 3 components)",
        "  input    IN[1] <- normal (the first that is free for 3 components)",
        "  input    IN[2] <- texcoord (the first that is free for 2 components)",
        "  uniform  VERT.CONST[0..3] = projection * view * model (as columns, for MUL and MAD)",
        "  uniform  VERT.CONST[4..6] = normals of model (after the matrix of positions)",
        "  texture  SAMP[0] (2D): a checkerboard",
    ]


def test_the_report_as_json(run: Run, files: Path) -> None:
    code, out, _ = run("copy.vs", "show.fs", "--draw", "out.png", "--size", "16", "--format", "json")
    found = json.loads(out)
    assert code == 0
    assert found["picture"] == "out.png"
    assert ["input", "IN[1] <- color (the first that is free for 4 components)"] in found["choices"]
    assert found["reasons"] == []


def test_semantics_and_attribute_options_choose_attributes(run: Run, files: Path) -> None:
    Path("named.vs").write_text(COPY.replace("DCL IN[1]", "DCL IN[1], TEXCOORD[0]").replace("DCL IN[0]", "DCL IN[0], POSITION"))
    out = run("named.vs", "show.fs", "--draw", "out.png", "--size", "16")[1]
    assert "IN[0] <- position (by semantic)" in out
    assert "IN[1] <- texcoord (by semantic)" in out
    out = run("named.vs", "show.fs", "--draw", "out.png", "--size", "16", "--attribute", "IN[1]=normal")[1]
    assert "IN[1] <- normal (--attribute)" in out
    assert pixels()[12, 8].tolist() == [0, 0, 255]


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("aPos", "position"),
        ("in_position", "position"),
        ("vertexPosition_modelspace", "position"),
        ("a_normal", "normal"),
        ("vUv", "texcoord"),
        ("aTexCoord", "texcoord"),
        ("TEXCOORD0", "texcoord"),
        ("Color", "color"),
        ("weights", None),
    ],
)
def test_names_of_inputs_stand_for_attributes(name: str, attribute: str | None) -> None:
    assert attribute_of(name) == attribute


def test_names_lose_prefix_case_and_digits() -> None:
    assert [plain(name) for name in ("u_mvp", "iTime", "g_mWorldViewProj", "Camera.viewProj", "lights[2].color")] == [
        "mvp",
        "time",
        "worldviewproj",
        "viewproj",
        "color",
    ]


def test_a_fragment_shader_alone_fills_a_quad_with_its_constant(run: Run, files: Path) -> None:
    code, out, _ = run("tint.fs", "--draw", "out.png", "--size", "8x8", "--uniform", "CONST[0]=1,0.5,0,1")
    assert code == 0
    assert (pixels() == (255, 128, 0)).all()
    assert "a vertex shader of our own" in out
    assert "every pixel has the color 255, 128, 0" in out


def test_a_picture_of_a_texture_stands_upright(run: Run, files: Path) -> None:
    texture = np.zeros((2, 2, 3), np.uint8)
    texture[0], texture[1] = (255, 0, 0), (0, 0, 255)  # red above blue
    Image.fromarray(texture).save("flag.png")
    assert run("sample.fs", "--draw", "out.png", "--size", "16", "--texture", "0=flag.png")[0] == 0
    upper, lower = pixels()[4, 8], pixels()[11, 8]
    assert upper[0] > 200 > 50 > upper[2]
    assert lower[2] > 200 > 50 > lower[0]


def test_the_picture_goes_to_stdout(files: Path) -> None:
    command = [sys.executable, "-m", "tgsi.tools.compile.cli", "copy.vs", "show.fs", "--size", "8", "--draw", "-"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    assert done.stdout.startswith(b"\x89PNG")
    assert b"stdout: 8 x 8 pixels" in done.stderr


def test_a_wrong_shader_keeps_the_last_picture(run: Run, files: Path) -> None:
    assert run("copy.vs", "show.fs", "--draw", "out.png", "--size", "16")[0] == 0
    before = Path("out.png").read_bytes()
    Path("show.fs").write_text(SHOW.replace("PERSPECTIVE", "PERSPETIVE"))
    code, _, errors = run("copy.vs", "show.fs", "--draw", "out.png", "--size", "16")
    assert code == 1
    assert "^" in errors
    assert Path("out.png").read_bytes() == before
    assert [path.name for path in files.iterdir() if path.name.startswith(".")] == []


def moved(text: str) -> str:
    """A vertex program with other positions."""
    return f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nIMM[0] FLT32 {{0.0, 1.0, 5.0, -1.0}}\nMOV TEMP[0], IN[0]\n{text}\nEND\n"


@pytest.mark.parametrize(
    ("vertex", "reason"),
    [
        ("MOV OUT[0], IMM[0].xxxx", "every position has w = 0"),
        ("MOV OUT[0].xyw, TEMP[0]\nMOV OUT[0].z, IMM[0].zzzz", "outside of the depth range: z / w goes from 5 to 5, and -1 to 1 is seen"),
        ("ADD OUT[0].xyz, TEMP[0], IMM[0].zzzz\nMOV OUT[0].w, IMM[0].yyyy", "x / w goes from 4.2 to 5.8, and -1 to 1 is seen"),
        ("MOV OUT[0].xyz, TEMP[0]\nMOV OUT[0].w, IMM[0].wwww", "every vertex lies behind the camera: w goes from -1 to -1"),
        ("RCP TEMP[0].x, IMM[0].xxxx\nMUL OUT[0], TEMP[0].xxxx, IMM[0].xxxx", "every position is NaN or infinite"),
        ("MOV OUT[0].xzw, TEMP[0]\nMOV OUT[0].y, IMM[0].xxxx", "no pixel is covered: all positions lie within 1.6 x 0"),
    ],
)
def test_an_empty_picture_has_a_reason(vertex: str, reason: str, run: Run, files: Path) -> None:
    Path("moved.vs").write_text(moved(vertex))
    code, out, _ = run("moved.vs", "--draw", "out.png", "--size", "64")
    assert code == 0
    assert f"nothing was drawn: {reason}" in out.replace("every primitive lies ", "").replace(
        "everything lies outside of the picture: ", ""
    )


def test_culled_discarded_and_black_pictures_have_reasons(run: Run, files: Path) -> None:
    Path("kill.fs").write_text("FRAG\nDCL OUT[0], COLOR\nKILL\nEND\n")
    Path("deep.fs").write_text(
        "FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], POSITION\nIMM[0] FLT32 {0, 1, 2, 0}\n"
        "MOV OUT[0], IMM[0].yyyy\nMOV OUT[1].z, IMM[0].xxxx\nEND\n"
    )
    small = ("--draw", "out.png", "--size", "32")
    assert "every triangle is culled; --cull front leaves out the side" in run("copy.vs", "show.fs", *small, "--cull", "front")[1]
    assert "nothing was drawn" not in run("copy.vs", "show.fs", *small, "--cull", "back")[1]
    assert "the fragment program discards every fragment" in run("copy.vs", "kill.fs", *small)[1]
    assert "nothing was drawn" not in run("copy.vs", "deep.fs", *small)[1]
    out = run("copy.vs", "tint.fs", *small)[1]
    assert "everything that is drawn is black" in out
    assert "the reason may be that these are 0: FRAG.CONST[0]" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("copy.vs --draw out.xyz", "--draw out.xyz: the ending '.xyz' is not a picture that can be written; use .png"),
        ("copy.vs --draw .", "--draw .: a folder; name a file, as out.png"),
        ("copy.vs --draw no/out.png", "--draw no/out.png: there is no folder "),
        ("copy.vs --draw out.png --mesh cub", "--mesh cub: no such shape; did you mean `cube`?"),
        ("copy.vs --draw out.png --mesh no.obj", "no.obj: no such file or directory"),
        ("copy.vs --draw out.png --size 0x4", "--size 0x4: sides have 1 to 8192 pixels"),
        ("copy.vs --draw out.png --size 8192 --samples 16", "--size: 8192 x 8192 pixels of 16 samples are more than 67108864"),
        ("copy.vs --draw out.png --background red", "--background red: expected three numbers from 0 to 1, as 0.2,0.3,0.4, or #334d66"),
        ("copy.vs --draw out.png --attribute IN[1]=colr", "--attribute IN[1]=colr: no attribute 'colr'; did you mean `color`?"),
        ("copy.vs --draw out.png --attribute IN[9]=color", "--attribute IN[9]=color: the vertex program has no input 'IN[9]'"),
        ("copy.vs --draw out.png --show GENERIC[1]", "--show GENERIC[1]: the VERT program has no such output"),
        (
            "copy.vs tint.fs --draw out.png --uniform CONST[1]=1",
            "--uniform CONST[1]: no program in TGSI reads it; there are FRAG.CONST[0][0..0]",
        ),
        ("copy.vs tint.fs --draw out.png --uniform red=1", "--uniform red: the programs have no uniforms; TGSI has numbers, as CONST[0]"),
        ("copy.vs sample.fs --draw out.png --texture wall=a.png", "the programs have no sampler 'wall'; they sample SAMP[0]"),
        ("copy.vs sample.fs --draw out.png --texture 0=copy.vs", "--texture copy.vs: no picture: Pillow does not recognize the format"),
        ("copy.vs sample.fs --draw out.png --texture 0=/dev/zero", "--texture /dev/zero: a device or pipe, not a file"),
        ("copy.vs --mesh cube", "--mesh goes with --draw PICTURE"),
        ("copy.vs --draw out.png -o x", "-o: not allowed with --draw, which names the picture"),
    ],
)
def test_a_mistake_is_named_with_the_way_out(arguments: str, message: str, run: Run, files: Path) -> None:
    code, _, errors = run(*arguments.split())
    assert code == 2
    assert message in errors
    assert not Path("out.png").exists()


def test_a_broken_png_is_named(run: Run, files: Path) -> None:
    Image.fromarray(np.zeros((64, 64, 3), np.uint8)).save("whole.png")
    Path("cut.png").write_bytes(Path("whole.png").read_bytes()[:60])
    code, _, errors = run("sample.fs", "--draw", "out.png", "--texture", "0=cut.png")
    assert (code, "--texture cut.png: no picture that can be read" in errors) == (2, True)


@needs_glslang
def test_glsl_draws_with_its_names(run: Run, files: Path) -> None:
    Path("a.vert").write_text(
        "#version 330 core\nuniform mat4 mvp; uniform mat3 normalMatrix;\n"
        "in vec3 aPos, aNormal; in vec2 aTexCoord; out vec3 n; out vec2 uv;\n"
        "void main() { gl_Position = mvp * vec4(aPos, 1.0); n = normalMatrix * aNormal; uv = aTexCoord; }\n"
    )
    Path("a.frag").write_text(
        "#version 330 core\nuniform sampler2D albedo; uniform vec3 lightDir, tint, unused; in vec3 n; in vec2 uv; out vec4 c;\n"
        "void main() { c = vec4(texture(albedo, uv).rgb * tint * max(dot(n, lightDir), 0.2), 1.0); }\n"
    )
    code, out, errors = run("a.vert", "a.frag", "--draw", "out.png", "--size", "32", "--uniform", "tint=1,0,0", "--uniform", "unused=1,2,3")
    assert (code, errors) == (0, "")
    for line in (
        "cube of 12 triangles",
        "vec2 aTexCoord <- texcoord (by name)",
        "mvp = projection * view * model (a well-known name)",
        "lightDir = 0.4472, 0.7155, 0.5367 (a well-known name)",
        "tint = 1, 0, 0 (--uniform)",
        "unused: no output depends on it; its value is not used",
        "albedo (2D): a checkerboard",
    ):
        assert line in out
    code, _, errors = run("a.vert", "a.frag", "--draw", "out.png", "--uniform", "lightDr=1,0,0")
    assert (code, "did you mean `lightDir`?" in errors) == (2, True)


@needs_glslang
def test_hlsl_matrices_work_on_either_side_of_mul(run: Run, files: Path) -> None:
    text = (
        "cbuffer C : register(b0) { float4x4 worldViewProj; };\n"
        "float4 main(float3 p : POSITION) : SV_Position { return mul(float4(p, 1), worldViewProj); }\n"
    )
    Path("right.vert.hlsl").write_text(text)
    Path("left.vert.hlsl").write_text(text.replace("float4(p, 1), worldViewProj", "worldViewProj, float4(p, 1)"))
    for name in ("right", "left"):
        assert run(f"{name}.vert.hlsl", "--draw", f"{name}.png", "--size", "32")[0] == 0
    assert digest("right.png") == digest("left.png")
    assert 0.2 < (pixels("left.png") == pixels("left.png")[16, 16]).all(-1).mean() < 0.6


@needs_glslang
def test_a_text_with_main_image_is_drawn_and_its_errors_keep_their_places(run: Run, files: Path) -> None:
    text = "void mainImage(out vec4 color, in vec2 pixel) {\n  vec2 uv = pixel / iResolution.xy;\n  color = vec4(uv, iTime, 1);\n}\n"
    Path("toy.frag").write_text(text)
    assert run("toy.frag", "--draw", "out.png", "--size", "64x32", "--time", "0.5")[0] == 0
    assert abs(pixels()[0, 63].astype(int) - (253, 251, 128)).max() <= 1
    Path("toy.frag").write_text(text.replace("iResolution.xy;", "iResolution.xy"))
    code, _, errors = run("toy.frag", "--draw", "out.png")
    assert code == 1
    assert " --> toy.frag:3:3\n" in errors


@needs_glslang
def test_compute_geometry_and_tessellation_make_pictures(run: Run, files: Path) -> None:
    Path("m.comp").write_text(
        "#version 450\nlayout(local_size_x = 8, local_size_y = 8) in;\n"
        "layout(rgba8) uniform writeonly image2D shown; uniform vec2 resolution;\n"
        "void main() { ivec2 at = ivec2(gl_GlobalInvocationID.xy); imageStore(shown, at, vec4(at / resolution, 0, 1)); }\n"
    )
    code, out, _ = run("m.comp", "--draw", "out.png", "--size", "20x12")
    assert (code, pixels()[6, 10].tolist()) == (0, [128, 128, 0])
    assert "3 x 2 x 1 blocks of 8 x 8 x 1" in out
    Path("p.vert").write_text("#version 450\nin vec3 pos; void main() { gl_Position = vec4(pos, 1); }\n")
    Path("p.geom").write_text(
        "#version 450\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out; uniform float size;\n"
        "void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; gl_Position.xyz *= size; EmitVertex(); } }\n"
    )
    Path("p.tese").write_text(
        "#version 450\nlayout(triangles) in;\nvoid main() { gl_Position = vec4(0); for (int i = 0; i < 3; i++)"
        " gl_Position += gl_TessCoord[i] * gl_in[i].gl_Position; }\n"
    )
    for stages in (["p.vert", "p.geom"], ["p.vert", "p.tese"]):
        code, out, _ = run(*stages, "--draw", "out.png", "--size", "32")
        assert code == 0
        assert "29% of the picture" in out


def test_help_and_other_actions_load_nothing_of_the_pictures() -> None:
    code = "import sys; from tgsi.tools.compile import cli; cli.main(['--help'])"
    code += "; print([name for name in sys.modules if 'compile.draw' in name or name == 'numpy'])"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines()[-1] == "['tgsi.tools.compile.draw', 'tgsi.tools.compile.draw.options']"
