"""tgsi-compile --run: every stage, every argument, and the output."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.texts import VS_POSITION
from tgsi.tools.compile import cli
from tgsi.tools.compile.run_words import memory_lines

GEOMETRY = """GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL OUT[0], POSITION
IMM[0] UINT32 {0, 1, 2, 3}
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
EMIT IMM[0].xxxx
END
"""
COMPUTE = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL BUFFER[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL HWATOMIC[0]
DCL MEMORY[0], GLOBAL
DCL TEMP[0..2]
IMM[0] UINT32 {4, 1, 2, 0}
UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx
SHL TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
UMUL TEMP[2].x, TEMP[0].xxxx, TEMP[0].xxxx
STORE BUFFER[0].x, TEMP[1].xxxx, TEMP[2].xxxx
STORE MEMORY[0].x, TEMP[1].xxxx, TEMP[0].xxxx
MOV TEMP[1].x, SV[0].xxxx
MOV TEMP[1].y, SV[1].xxxx
STORE IMAGE[0], TEMP[1], TEMP[2], 2D, PIPE_FORMAT_R32_UINT
ATOMUADD TEMP[0].x, HWATOMIC[0], IMM[0].wwww, IMM[0].yyyy
END
"""
CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 2
DCL IN[][0], GENERIC[0]
DCL OUT[][0], GENERIC[0]
DCL OUT[1], PATCH[0]
DCL SV[0], INVOCATIONID
DCL ADDR[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
MOV OUT[1], IN[1][0]
END
"""
EVALUATION = """TESS_EVAL
DCL IN[][0], GENERIC[0]
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
MUL OUT[0], IN[1][0], SV[0].xxxx
END
"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
KILL_IF TEMP[0].xxxx
MOV OUT[0], TEMP[0]
END
"""
CORNERS = "[[[[0.0,0,0,1]],[[1.0,0,0,1]],[[0.0,1,0,1]]]]"
COMPUTED = [
    "--grid",
    "2",
    "--buffers",
    "0=zeros:32",
    "--counters",
    "0=[5]",
    "--images",
    "0=R32_UINT:zeros:4x2",
    "--memory",
    "GLOBAL=zeros:16",
]

ENGINES = pytest.mark.parametrize("engine", ["interp", "jit"])


@pytest.fixture
def shader(tmp_path: Path) -> Path:
    return tmp_path / "shader.tgsi"


def run(shader: Path, text: str, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    shader.write_text(text)
    code = cli.main(["--run", str(shader), *options])
    done = capsys.readouterr()
    assert code == 0, done.err
    return done.out


def error(shader: Path, text: str, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    shader.write_text(text)
    assert cli.main(["--run", str(shader), *options]) == 2
    done = capsys.readouterr()
    assert done.out == ""
    assert done.err.count("\n") == 1
    return done.err.removeprefix("tgsi-compile: ").strip()


@ENGINES
def test_geometry_prints_the_vertices_of_each_primitive(shader: Path, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(shader, GEOMETRY, capsys, "--inputs", CORNERS, "--engine", engine)
    assert out.splitlines() == [
        "stream 0: 2 vertices in 1 primitive",
        "primitive 0, vertex 0: OUT[0]  0  0  0  1  (00000000 00000000 00000000 3f800000)",
        "primitive 0, vertex 1: OUT[0]  0  1  0  1  (00000000 3f800000 00000000 3f800000)",
    ]
    found = json.loads(run(shader, GEOMETRY, capsys, "--inputs", CORNERS, "--engine", engine, "--format", "json"))
    assert found["strips"][0] == [2]
    assert found["emitted"][0][1] == [[0, 0x3F800000, 0, 0x3F800000]]


@ENGINES
def test_compute_prints_every_memory(shader: Path, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(shader, COMPUTE, capsys, *COMPUTED, "--engine", engine)
    assert out.splitlines()[:7] == [
        "BUFFER[0]: 32 bytes",
        "  000000: 00000000 00000001 00000004 00000009  (0  1  4  9)",
        "  000010: 00000010 00000019 00000024 00000031  (16  25  36  49)",
        "HWATOMIC[0]: 4 bytes",
        "  000000: 0000000d  (13)",
        "MEMORY GLOBAL: 16 bytes",
        "  000000: 00000000 00000001 00000002 00000003  (0  1  2  3)",
    ]
    assert out.splitlines()[7] == "IMAGE[0]: R32_UINT, 4 x 2 x 1"
    assert out.endswith("  (3, 1, 0): 49  0  0  1\n")
    found = json.loads(run(shader, COMPUTE, capsys, *COMPUTED, "--engine", engine, "--format", "json"))
    assert (found["counters"], found["buffers"]["0"][-1], found["memory"]["GLOBAL"]) == ({"0": [13]}, 49, [0, 1, 2, 3])
    assert (found["images"]["0"]["shape"], found["images"]["0"]["bytes"][0][1][3]) == ([1, 2, 4], [49, 0, 0, 0])


@ENGINES
def test_tessellation_takes_patches_and_coordinates(shader: Path, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    patch = "[[[[1.0,2,3,4]],[[5.0,6,7,8]]]]"
    out = run(shader, CONTROL, capsys, "--inputs", patch, "--engine", engine)
    assert [line.split("  (")[0] for line in out.splitlines()] == [
        "0: OUT[0]  1  2  3  4",
        "0: OUT[1]  5  6  7  8",
        "1: OUT[0]  5  6  7  8",
        "1: OUT[1]  5  6  7  8",
    ]
    values = "TESSCOORD=[[0.5,0,0,0],[2.0,0,0,0]]"
    out = run(shader, EVALUATION, capsys, "--inputs", patch, "--system-values", values, "--engine", engine)
    assert [line.split("  (")[0] for line in out.splitlines()] == ["0: OUT[0]  2.5  3  3.5  4", "1: OUT[0]  10  12  14  16"]


@ENGINES
def test_textures_are_pictures_data_or_objects(shader: Path, tmp_path: Path, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    Image.fromarray(np.array([[[255, 0, 0, 255], [0, 51, 0, 255]]], np.uint8)).save(tmp_path / "a.png")
    np.save(tmp_path / "a.npy", np.array([[[1.0, 0, 0, 1], [0, 0.2, 0, 1]]], np.float32))
    place = "[[[0.75,0.5,0,0]]]"
    given = [str(tmp_path / "a.png"), f"R8G8B8A8_UNORM:{tmp_path}/a.npy", "R32G32B32A32_FLOAT:[[1.0,0,0,1],[0,0.2,0,1]]"]
    given.append(json.dumps({"format": "R32G32B32A32_FLOAT", "levels": [str(tmp_path / "a.npy")], "swizzle": "xyzw"}))
    for texture in given:
        options = ["--textures", f"0={texture}", "--samplers", "0=nearest,clamp_to_edge", "--engine", engine]
        assert run(shader, FRAGMENT, capsys, "--inputs", place, *options).startswith("0: OUT[0]  0  0.2")


def test_a_texture_without_a_sampler_is_read_with_the_plainest(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for texture in ("Z32_FLOAT:[[0.5]]", '{"format":"R32_FLOAT","levels":[[[0.5,0,0,0]]],"swizzle":"xxxx"}'):
        out = run(shader, FRAGMENT, capsys, "--inputs", "[[[0.5,0.5,0,0]]]", "--textures", f"0={texture}")
        assert out.startswith("0: OUT[0]  0.5  0.5  0.5  0.5")


def test_a_trace_lists_instructions_and_what_they_wrote(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--textures", "0=R32G32B32A32_FLOAT:[[1.0,2,3,4],[-1.0,0,0,0]]", "--samplers", "0=nearest", "--trace"]
    out = run(shader, FRAGMENT, capsys, "--inputs", "[[[0.1,0,0,0]],[[0.9,0,0,0]]]", *options)
    lines = out.splitlines()
    assert lines[0] == "  0: TEX TEMP[0], IN[0], SAMP[0], 2D    [active: all]"
    assert lines[1].startswith("       0: TEMP[0]  1  2  3  4")
    assert lines[-1] == "1: killed"
    made = run(shader, FRAGMENT, capsys, "--inputs", "[[[0.1,0,0,0]]]", *options, "--format", "json")
    assert json.loads(made)["trace"][0]["instruction"] == "TEX TEMP[0], IN[0], SAMP[0], 2D"


def test_results_are_saved_as_arrays(shader: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(shader, COMPUTE, capsys, *COMPUTED, "--engine", "interp", "-o", str(tmp_path / "a.npz")) == ""
    with np.load(tmp_path / "a.npz") as found:
        assert found["buffer_0"].view(np.uint32).tolist() == [0, 1, 4, 9, 16, 25, 36, 49]
        assert found["image_0"].shape == (1, 2, 4, 4)


def test_planes_and_what_fragments_have_besides(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\nFBFETCH TEMP[0], OUT[0]\nADD OUT[0], TEMP[0], IN[0]\nEND\n"
    planes = ["--coefs", "[[[0.5,0,0,0],[1.0,0,0,0],[0,0,0,0.5]]]", "--quad-pos", "[[0.0,1,0,1],[0.0,0,1,1],[0.0,0,0,0],[1.0,1,1,1]]"]
    more = ["--framebuffer", "0=[[10.0,0,0,0],[10.0,0,0,0],[20.0,0,0,0],[20.0,0,0,0]]", "--coverage", "[1,1,1,1]", "--face", "-1"]
    more += ["--sample-positions", "[[0.5,0.5]]", "--flatshade-color", "--fuel", "10"]
    out = run(shader, text, capsys, *planes, *more)
    assert [line.split()[2] for line in out.splitlines()] == ["10.5", "11.5", "20.5", "21.5"]


def test_passes_run_first(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]\nEND\n"
    options = ["--inputs", "[[[1.0,2,3,4]]]", "--trace", "--passes", "default"]
    assert run(shader, text, capsys, *options).splitlines()[0] == "  0: MOV OUT[0], IN[0]    [active: all]"


def test_whole_numbers_for_inputs_earn_a_note(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = VS_POSITION
    shader.write_text(text)
    for data, noted, x in (("[[[1,2,3,4]]]", True, "1.40129846e-45"), ("float:[[[1,2,3,4]]]", False, "1"), ("[[[1.0,2,3,4]]]", False, "1")):
        assert cli.main(["--run", str(shader), "--inputs", data]) == 0
        done = capsys.readouterr()
        assert ("--inputs holds whole numbers" in done.err) == noted
        assert done.out.split()[2] == x


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--inputs must be given: the program declares IN registers"),
        (["--inputs", "[1.0,2.0]"], "--inputs must have shape (invocations, registers, 4), not (2,)"),
        (["--inputs", "[[[1.0,2,3,4]]]", "--grid", "2"], "--grid belongs to COMP, TASK and MESH programs, not to FRAG"),
        (["--grid", "2x2x2x2"], "--grid: 2x2x2x2: expected one to three whole numbers, as 8x4x1"),
        (["--constants", "a=[1.0]"], "--constants a=: expected a number before the sign, as in --constants 0=data.npy"),
        (["--textures", "0=FOO:[[1.0,2,3,4]]"], "--textures 0: FOO:[[1.0,2,3,4]]: 'FOO' is not a known format"),
        (["--textures", "0=no.png"], "--textures 0: no.png: no such file or directory"),
        (["--textures", "0=R8_UNORM:[1.0]"], "--textures 0: texels must have shape (layers, height, width, 4), or fewer axes, not (1,)"),
        (["--textures", '0={"levels":[]}'], "expected `format` (a name) and `levels` (a list of data)"),
        (["--inputs", ""], "--inputs: there is no data"),
        (["--inputs", "."], "--inputs: .: is a directory"),
        (["--inputs", "/dev/zero"], "--inputs: /dev/zero: this is a device, not a file"),
        (["--textures", "0=/dev/zero"], "--textures 0: /dev/zero: this is a device, not a file"),
        (["--textures", '0={"format":"R8_UNORM","levels":["zeros:4x4"],"swizzle":5}'], "`swizzle` has four letters of xyzw01"),
        (["--textures", '0={"formt":1}'], "unknown key formt; it has format, levels, samples and swizzle"),
        (["--samplers", "0=lineer"], "--samplers 0: unknown word `lineer`; a sampler is words of linear, nearest,"),
        (["--samplers", '0={"wrap_s":"REPEET"}'], "did you mean REPEAT?"),
        (["--system-values", "VERTXID=[1]"], "--system-values: there is no semantic `VERTXID`; did you mean `VERTEXID`?"),
        (["--buffers", "0=zeros:x"], "--buffers 0: zeros:x: expected zeros:BYTES"),
        (["--inputs", "[[[1.0,2,3,4]]]", "--memory", "SHARED=[1]"], "--memory"),
        (["--inputs", "[[[1.0,2,3,4]]]", "--fuel", "0"], "--fuel: 0 is not in 1 .. "),
        (["--inputs", "[[[1.0,2,3,4]]]", "--engine", "jit", "--trace"], "--trace: not available in compiled code; use --engine interp"),
        (["--inputs", "[[[1.0,2,3,4]]]", "--buffers", "0=zeros:5"], "--buffers 0 must hold whole 32-bit words, not 5 bytes"),
        (
            ["--system-values", "FACE=[[1,2,3,4,5]]"],
            "--system-values FACE must have shape (invocations,) or (invocations, 1 to 4), not (1, 5)",
        ),
        (["--inputs", "[[[1.0,2,3,4]]]", "--system-values", "FACE=[1,2]"], "--inputs has 1, --system-values FACE has 2"),
        (["--buffers", "0=[1,[2]]"], "--buffers 0: [1,[2]]: expected numbers in lists of equal lengths"),
        (["--target", "aarch64"], "--target goes with --emit llvm, asm, obj"),
    ],
)
def test_what_does_not_fit_is_named_by_its_option(
    shader: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in error(shader, FRAGMENT, capsys, *options)


def test_options_of_run_need_it(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shader.write_text(FRAGMENT)
    assert cli.main([str(shader), "--inputs", "[1]"]) == 2
    assert capsys.readouterr().err == "tgsi-compile: --inputs goes with --run\n"


def test_memory_is_printed_as_words_and_as_numbers(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(shader, "COMP\nDCL BUFFER[0]\nEND\n", capsys, "--block", "1", "--buffers", "0=[1073741824,7,4294967295,2143289344]")
    assert out.splitlines()[1] == "  000000: 40000000 00000007 ffffffff 7fc00000  (2  7  -1  nan)"


def test_what_is_declared_and_not_given_earns_a_note(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shader.write_text(
        "COMP\nDCL CONST[1][0..3]\nDCL BUFFER[0]\nDCL BUFFER[2]\nDCL HWATOMIC[0]\nDCL SAMP[0]\nDCL IMAGE[0], 2D, WR\n"
        "DCL MEMORY[0], GLOBAL\nEND\n"
    )
    assert cli.main(["--run", str(shader), "--block", "1", "--buffers", "0=[1]"]) == 0
    noted = [line.split("data for ")[1] for line in capsys.readouterr().err.splitlines() if "note" in line]
    files = {"CONST[1]": "constants", "BUFFER[2]": "buffers", "HWATOMIC[0]": "counters", "SAMP[0]": "textures", "IMAGE[0]": "images"}
    assert noted == [f"{what}; --{option} gives it" for what, option in {**files, "MEMORY GLOBAL": "memory"}.items()]


def test_whole_numbers_for_constants_earn_a_note_unless_words_are_meant(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shader.write_text("COMP\nDCL CONST[0][0]\nEND\n")
    for data, noted in (("0=[[1,2,3,4]]", True), ("0=int:[[1,2,3,4]]", False), ("0=[[1.0,2,3,4]]", False)):
        assert cli.main(["--run", str(shader), "--block", "1", "--constants", data]) == 0
        assert ("note: --constants 0 holds whole numbers only" in capsys.readouterr().err) == noted


def test_a_trace_shows_integers_as_such(shader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "COMP\nDCL TEMP[0]\nIMM[0] UINT32 {7, 1065353216, 4294967295, 0}\nUADD TEMP[0], IMM[0], IMM[0].wwww\nEND\n"
    out = run(shader, text, capsys, "--block", "1", "--trace")
    assert out.splitlines()[1] == "       0: TEMP[0]  7  1  -1  0  (00000007 3f800000 ffffffff 00000000)"


def test_rows_of_memory_that_repeat_are_counted() -> None:
    data = np.concatenate([np.zeros(160, np.uint8), np.full(38, 1, np.uint8), np.zeros(32, np.uint8)])[:228]
    lines = [line[:25] for line in memory_lines("BUFFER[0]", data)]
    assert lines == [
        "BUFFER[0]: 228 bytes",
        "  000000: 00000000 000000",
        "  ...     9 more rows lik",
        "  0000a0: 01010101 010101",
        "  0000b0: 01010101 010101",
        "  0000c0: 01010101 000001",
        "  0000d0: 00000000 000000",
        "  0000e0: 00000000  (0)",
    ]
    assert [*memory_lines("B", np.zeros(0, np.uint8))] == ["B: 0 bytes"]
