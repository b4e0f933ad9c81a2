"""Command tgsi-compile: its output and exit codes."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from passes.validate.semantics import LIMITS
from tests.unit.language.command import Run
from tgsi.language.codes import EXPLANATIONS
from tgsi.language.text.parser import parse
from tgsi.tools.compile import emit
from tgsi.tools.compile import options as command_options

ROOT = Path(__file__).resolve().parents[3]
GOOD = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nmov out[0], in[0].x\nEND\n"
CANONICAL = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0].xxxx\n  1: END\n"
VERTEX = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.tgsi"
    path.write_text(GOOD)
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.tgsi"
    path.write_text("FRAG\nMOV OUT[0], IN[0]\nEND\n")
    return path


def test_canonical_text_is_the_default(run: Run, good: Path) -> None:
    assert run(good) == (0, CANONICAL, "")


def test_text_is_read_from_stdin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in ((), ("-",)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
        assert run(*arguments) == (0, CANONICAL, "")


def test_several_files_are_printed_one_after_the_other(run: Run, good: Path) -> None:
    assert run(good, good) == (0, f"# {good}\n{CANONICAL}\n# {good}\n{CANONICAL}", "")
    assert run(good, good, "--quiet") == (0, CANONICAL + "\n" + CANONICAL, "")


def test_output_goes_to_a_file(run: Run, good: Path, tmp_path: Path) -> None:
    assert run(good, "-o", tmp_path / "out.tgsi") == (0, "", "")
    assert (tmp_path / "out.tgsi").read_text() == CANONICAL


def test_check_is_silent_about_a_right_shader(run: Run, good: Path) -> None:
    assert run("--check", good) == (0, "", "")


def test_check_prints_findings_to_stdout(run: Run, good: Path, bad: Path) -> None:
    code, out, err = run("--check", good, bad)
    assert (code, err) == (1, "")
    assert "error[V030]: OUT[0] is not declared" in out
    assert out.endswith("\n2 errors, no warnings\n")


def test_findings_while_emitting_go_to_stderr(run: Run, good: Path, bad: Path) -> None:
    code, out, err = run(bad, good)
    assert (code, out) == (1, f"# {good}\n{CANONICAL}")
    assert "error[V030]" in err


def test_findings_as_json(run: Run, bad: Path) -> None:
    code, out, _ = run("--check", "--format", "json", bad)
    made = json.loads(out)
    assert (code, made["ok"], len(made["findings"])) == (1, False, 2)
    assert made["findings"][0]["labels"][0] == {"file": str(bad), "line": 2, "column": 5, "start": 9, "end": 15, "text": ""}


def test_ir_listing_shows_words_numbers_and_types(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.tgsi"
    path.write_text("VERT\nDCL OUT[0], POSITION\nIMM FLT32 {1.0, 0x7fc00001, -0.0, 0}\nUADD_SAT OUT[0], IMM[0], IMM[0]\nEND\n")
    code, out, _ = run("--emit", "ir", path)
    assert code == 0
    assert "words 3f800000 7fc00001 80000000 00000000" in out
    assert "UADD_SAT #129 OUT[0]:uint <- IMM[0]:uint, IMM[0]:uint" in out


def test_json_holds_the_whole_program(run: Run, tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    source = ROOT / "tests/filetests/text/every-operand.tgsi"
    program = parse(source.read_text())
    path = tmp_path / "a.tgsi"
    path.write_text(str(program).replace("BRK", "NOP"))
    from tgsi.language.listing import program_as_json

    golden(Path(__file__).with_name("every_operand.json"), json.dumps(program_as_json(program), indent=1) + "\n")
    declared = (ROOT / "tests/filetests/text/every-declaration.tgsi").read_text()
    golden(Path(__file__).with_name("every_declaration.json"), json.dumps(program_as_json(parse(declared)), indent=1) + "\n")


def test_tokens_are_printed_and_read_back_as_text_and_binary(run: Run, good: Path, tmp_path: Path) -> None:
    code, out, _ = run("--emit", "tokens", good)
    words = [int(line, 16) for line in out.splitlines()]
    assert code == 0
    (tmp_path / "listing").write_text(out)
    (tmp_path / "binary").write_bytes(b"".join(word.to_bytes(4, "little") for word in words))
    assert run(tmp_path / "listing") == (0, CANONICAL, "")
    assert run(tmp_path / "binary") == (0, CANONICAL, "")
    assert run("--emit", "mesa", good) == (0, CANONICAL, "")


def test_json_of_several_files_is_an_array(run: Run, good: Path) -> None:
    assert json.loads(run("--emit", "json", good)[1])["stage"] == "FRAG"
    assert len(json.loads(run("--emit", "json", good, good)[1])) == 2


@pytest.mark.parametrize("kind", ["llvm", "asm"])
def test_generated_code_is_shown(run: Run, good: Path, kind: str) -> None:
    code, out, err = run("--emit", kind, good, "--cpu", "x86-64-v3", "--lanes", "8")
    assert (code, err) == (0, "")
    assert "run" in out


@pytest.mark.parametrize(
    ("target", "magic"),
    [("aarch64-linux-gnu", b"\x7fELF\x02"), ("riscv32", b"\x7fELF\x01"), ("wasm32", b"\0asm"), (None, b"\x7fELF\x02")],
)
def test_an_object_goes_to_a_file_or_a_pipe(run: Run, good: Path, tmp_path: Path, target: str | None, magic: bytes) -> None:
    chosen = [] if target is None else ["--target", target]
    assert run("--emit", "obj", good, *chosen, "-o", tmp_path / "a.o") == (0, "", "")
    made = (tmp_path / "a.o").read_bytes()
    assert made.startswith(magic)
    command = [sys.executable, "-m", "tgsi.tools.compile.cli", "--emit", "obj", str(good), *chosen]
    assert subprocess.run(command, capture_output=True, cwd=ROOT, timeout=60, check=True).stdout == made


def test_an_object_is_not_written_to_a_terminal(run: Run, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    code, out, err = run("--emit", "obj", good)
    assert (code, out) == (2, "")
    assert "-o FILE" in err


def test_targets_and_their_processors_are_listed(run: Run) -> None:
    code, out, _ = run("--list-targets")
    assert code == 0
    assert "aarch64      aarch64-linux-gnu" in out
    assert "cortex-a76" in run("--list-targets", "--target", "aarch64")[1].splitlines()


def test_time_passes_is_a_table_of_stages_and_passes(run: Run, good: Path) -> None:
    code, out, err = run("--time-passes", "--passes", "default", good)
    assert (code, err) == (0, "")
    rows = [line.rsplit(maxsplit=2) for line in out.splitlines()]
    assert rows[0] == ["stage", "ms", "percent"]
    names = [row[0].strip() for row in rows]
    assert {"parse", "validate", "pass fold-constants", "LLVM sroa", "generate code", "total"} <= set(names)
    assert sum(float(row[2]) for row in rows[1:-1]) == pytest.approx(100, abs=2)


def test_time_passes_beside_a_result_goes_to_stderr(run: Run, good: Path) -> None:
    code, out, err = run("--time-passes", "--format", "json", "--emit", "tokens", good)
    found = json.loads(err)
    assert (code, out) == (0, run("--emit", "tokens", good)[1])
    assert [row["stage"] for row in found["times"]] == ["load parser", "parse", "validate", "print tokens"]
    assert found["total_ms"] == pytest.approx(sum(row["ms"] for row in found["times"]), abs=0.01)


STAGES = {
    "GEOM": "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nDCL OUT[0], POSITION\nIMM UINT32 {0, 0, 0, 0}\nEMIT IMM[0].xxxx\nEND\n",
    "TESS_CTRL": "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], GENERIC\nDCL OUT[0], PATCH\nMOV OUT[0], IN[1][0]\nBARRIER\nEND\n",
    "TESS_EVAL": "TESS_EVAL\nDCL IN[][0], GENERIC[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[1][0]\nEND\n",
    "COMP": "COMP\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL SV[0], THREAD_ID\nSTORE IMAGE[0], SV[0], SV[0], 2D\nEND\n",
    "VIEW": "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL IN[0], FOG\nSAMPLE OUT[0], IN[0], SVIEW[0], SAMP[0]\nEND\n",
}


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_compiled_for_every_kind_of_target(run: Run, tmp_path: Path, stage: str) -> None:
    path = tmp_path / "a.tgsi"
    path.write_text(STAGES[stage])
    for options in (["--emit", "obj"], ["--emit", "obj", "--target", "aarch64"], ["--emit", "asm", "--target", "nvptx64"]):
        assert run(path, *options, "--lanes", "4", "-o", tmp_path / "made") == (0, "", "")
        assert (tmp_path / "made").stat().st_size > 500
    if stage == "VIEW":  # the generator assumes a texture; below AVX-512 pairs of texels are plain loads
        assert "gather" in run("--emit", "llvm", "--cpu", "x86-64-v4", path)[1]


def test_what_the_generator_does_not_do_is_named_with_its_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from backends.llvm.kernels import listing
    from tgsi.language.diagnostics import UnsupportedError
    from tgsi.language.program import Program

    def refuse(program: Program, *_: object, **__: object) -> None:
        raise UnsupportedError.at("B004", "the instruction is too beautiful", program.instructions[0].span)

    monkeypatch.setattr(listing, "build_run_kernel", refuse)
    path = tmp_path / "a.tgsi"
    path.write_text(STAGES["COMP"])
    code, out, err = run("--emit", "asm", path)
    assert (code, out) == (1, "")
    assert "a.tgsi:4:1" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("swap", [False, True])
def test_link_table_of_two_shaders_in_either_order(run: Run, good: Path, tmp_path: Path, swap: bool) -> None:
    vertex = tmp_path / "vertex.tgsi"
    vertex.write_text(VERTEX)
    files = (good, vertex) if swap else (vertex, good)
    code, out, err = run("--link", *files)
    assert (code, err) == (0, "")
    assert "profile software: 1 slot" in out
    assert json.loads(run("--link", "--format", "json", *files)[1])["rows"][0]["output_register"] == 1


@pytest.mark.parametrize("option", [["--link", "nv40"], ["--link=nv40"], ["--link", "--profile", "nv40"]])
def test_link_takes_a_profile(run: Run, good: Path, tmp_path: Path, option: list[str]) -> None:
    vertex = tmp_path / "vertex.tgsi"
    vertex.write_text(VERTEX)
    for arguments in ([vertex, good, *option], [*option, vertex, good]):
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        assert out.startswith("profile nv40: 1 slot")
        assert "fragment slots" in out


def test_link_emits_the_patched_fragment_program(run: Run, good: Path, tmp_path: Path) -> None:
    vertex = tmp_path / "vertex.tgsi"
    vertex.write_text(VERTEX)
    text, tokens, data, table = (run(vertex, good, "--link", "nv40", "--emit", form)[1] for form in ("text", "tokens", "json", "link"))
    assert text.startswith("FRAG\nDCL IN[4], ")  # an nv40 has its texture coordinates from input 4 on
    patched = tmp_path / "patched.tokens"
    patched.write_text(tokens)
    assert run(patched)[1] == text
    assert json.loads(data)["device"]["blocks"][0]["name"] == "vertex table"
    assert table == run(vertex, good, "--link", "nv40")[1]


def test_link_errors_of_a_device_point_at_the_shader(run: Run, tmp_path: Path) -> None:
    vertex, fragment = tmp_path / "v.tgsi", tmp_path / "f.tgsi"
    vertex.write_text(VERTEX)
    fragment.write_text("FRAG\nDCL IN[0], FACE, CONSTANT\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END\n")
    code, out, err = run(vertex, fragment, "--link", "nv30")
    assert (code, out) == (1, "")
    assert "error[K031]: nv30: IN[0] FACE" in err
    assert "f.tgsi:2:1" in err


def test_semantic_limits_are_checked_on_request(run: Run, tmp_path: Path) -> None:
    shader = tmp_path / "v.tgsi"
    shader.write_text("VERT\nDCL OUT[0], GENERIC[219]\nDCL IN[0]\n  0: MOV OUT[0], IN[0]\n  1: END\n")
    assert run("--check", shader)[0] == 0
    code, out, _ = run("--check", "--limits", "sm3", shader)
    assert code == 1
    assert "error[S013]: GENERIC[219]" in out
    assert set(command_options.LIMITS) == set(LIMITS)


def test_link_reports_what_is_wrong_with_its_shaders(run: Run, good: Path, bad: Path) -> None:
    assert run("--link", good, bad)[0] == 1
    code, _, err = run("--link", good, good)
    assert code == 1
    assert "error[K" in err


def test_explain_tells_what_a_code_means(run: Run) -> None:
    code, out, _ = run("--explain", "v030")
    assert code == 0
    assert out.startswith("V030: undeclared register\n\n")
    assert json.loads(run("--explain", "V030", "--format", "json")[1])["code"] == "V030"
    assert len(run("--explain", "all")[1].splitlines()) == len(EXPLANATIONS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--chek"], "unknown option `--chek`; did you mean `--check`?"),
        (["--emit", "txt"], "--emit: unknown value `txt`; did you mean `text`?"),
        (["--dialect", "old"], "--dialect: unknown value `old`; it is one of default, strict, legacy"),
        (["a", "--emit", "asm", "--cpu", "x86-64-v5"], "--cpu: unknown value `x86-64-v5`; did you mean `x86-64-v"),
        (["--emit", "asm", "--target", "aarch64", "--cpu", "host"], "--cpu host: not allowed with --target"),
        (["--target", "wasm32"], "--target goes with --emit llvm, asm, obj"),
        (["--list-targets", "--target", "risc64"], "--target: unknown target 'risc64'; did you mean riscv64?"),
        (["a", "b", "--emit", "obj"], "--emit obj takes one file, 2 given"),
        (["--lanes", "7"], "--lanes: unknown value `7`; it is one of 4, 8, 16, 32, 64"),
        (["--lanes", "x"], "--lanes: expected a whole number, not 'x'"),
        (["--check", "--link"], "--link: not allowed with --check"),
        (["--link"], "--link takes two files or more, 0 given; a chain is VERT"),
        (["a", "b", "--link", "nv41"], "--link: unknown profile `nv41`; did you mean `nv40`?"),
        (["a", "b", "--link", "nv40", "--emit", "asm"], "--emit asm: a link is shown as link, text, json, tokens"),
        (["a", "--emit", "link"], "--emit link goes with --link"),
        (["--link", "a", "b", "--profile", "softwear"], "--link: unknown profile `softwear`; did you mean `software`?"),
        (["--explain", "V999"], "there is no code `V999`; --explain all lists them"),
        (["--explain", "what"], "nothing is called `what`; --explain lists the codes, opcodes, "),
        (["/no/such/file"], "/no/such/file: there is no folder /no"),
        (["/no/such/*.tgsi"], "/no/such/*.tgsi: no shader matches this pattern"),
        (["a\0b"], "a\\x00b: embedded null byte"),
        ([sys.executable], "this is a binary file, not TGSI text"),
    ],
)
def test_wrong_command_gives_one_line_and_code_2(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("tgsi-compile: ")
    assert message in err


def test_a_comment_in_latin_1_is_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "latin.tgsi"
    path.write_bytes(b"VERT # I\xf1igo\nEND")
    assert run(path, "--check")[0] == 0


def test_a_letter_of_latin_1_outside_of_comments_is_an_error_with_its_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "latin.tgsi"
    path.write_bytes(b"VERT\n\xe9END")
    code, _, err = run(path)
    assert code == 1
    assert f"--> {path}:2:1" in err


def test_bytes_that_are_neither_utf_8_nor_latin_1_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "odd.tgsi"
    path.write_bytes(b"VERT\n\xe9\x01END")
    code, _, err = run(path)
    assert code == 2
    assert err == f"tgsi-compile: {path}: this is a binary file, not TGSI text\n"


def test_unreadable_file_is_refused(run: Run, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, mode: str = "r") -> None:  # a mode of 0 would not stop root
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "open", refuse)
    code, _, err = run(good)
    assert code == 2
    assert err == f"tgsi-compile: {good}: permission denied\n"


def test_unwritable_output_is_refused(run: Run, good: Path) -> None:
    code, _, err = run(good, "-o", "/no/such/folder/x")
    assert code == 2
    assert err == "tgsi-compile: /no/such/folder/x: there is no folder /no\n"


def test_an_error_of_our_own_gives_no_traceback(run: Run, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("oh")

    monkeypatch.setattr(emit, "compile_shaders", broken)
    monkeypatch.delenv("TGSI_DEBUG", raising=False)
    code, _, err = run(good)
    assert (code, err) == (1, "tgsi-compile: internal error: RuntimeError: oh (TGSI_DEBUG=1 shows where)\n")


def test_a_reader_that_goes_away_is_no_error(good: Path) -> None:
    command = f"{sys.executable} -m tgsi.tools.compile.cli --emit json {' '.join([str(good)] * 400)} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    assert done.stdout == "[\n0\n"
    assert done.stderr == ""


def test_help_shows_examples_and_loads_neither_numpy_nor_llvmlite_nor_lark() -> None:
    script = (
        "import sys; from tgsi.tools.compile.cli import main; main(['--help']); "
        "print(sorted({'numpy', 'llvmlite', 'lark'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    assert "examples:" in done.stdout
    assert done.stdout.endswith("\n[]\n")


def test_an_old_text_is_printed_in_the_language_of_today_with_notes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "old.tgsi"
    path.write_text("FRAG1.1\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR, CONSTANT\n0:LERP OUT[0], IN[0], IN[0], IN[0]\n1:END\n")
    code, out, err = run("--dialect", "legacy", path)
    assert (code, out) == (0, "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\n  0: LRP OUT[0], IN[0], IN[0], IN[0]\n  1: END\n")
    assert "note[P050]: LERP is LRP today" in err
    assert err.endswith("no errors, no warnings, 3 notes\n")
    assert run(path)[0] == 1


def token_bytes(run: Run, path: Path) -> bytes:
    """The little-endian tokens of a shader."""
    return b"".join(int(word, 16).to_bytes(4, "little") for word in run(path, "--emit", "tokens")[1].split())


def swapped(data: bytes) -> bytes:
    return b"".join(data[at : at + 4][::-1] for at in range(0, len(data), 4))


def mirrored(data: bytes) -> bytes:
    """Header and processor as a big-endian machine has them, followed by what does not matter here."""
    words = len(data) // 4
    return bytes([2]) + (words - 2).to_bytes(3, "big") + bytes([data[4] << 4, 0, 0, 0]) + data[8:]


def test_big_endian_words_are_read_with_a_note(run: Run, good: Path, tmp_path: Path) -> None:
    path = tmp_path / "big.tok"
    path.write_bytes(swapped(token_bytes(run, good)))
    code, out, err = run(path)
    assert (code, out) == (0, CANONICAL)
    assert err == f"tgsi-compile: note: {path}: big-endian TGSI tokens, read with the bytes of their words swapped\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (mirrored, "this is a big-endian TGSI token file: its fields lie in the words in reverse order"),
        (lambda data: data[:-4], "TGSI tokens (13 words, as their header says) that are cut off: 4 of 52 bytes are missing at the end"),
        (lambda data: data[:-3], "that are cut off: 3 of 52 bytes are missing"),
        (lambda data: swapped(data)[:20], "TGSI tokens (big-endian, 13 words, as their header says) that are cut off: 32 of 52 bytes"),
        (lambda data: data + data, "TGSI tokens (13 words, as their header says), followed by 52 bytes of something else"),
        (lambda data: b"\x01\x01\0\0" + data, "these are tokens of TGSI 1.1, of 2007 to 2009"),
        (lambda data: b"\0\0\x01\x01" + data, "these are tokens of TGSI 1.1, of 2007 to 2009"),
    ],
)
def test_tokens_that_cannot_be_read_are_named(run: Run, good: Path, tmp_path: Path, change: Callable[[bytes], bytes], message: str) -> None:
    path = tmp_path / "x.tok"
    path.write_bytes(change(token_bytes(run, good)))
    code, out, err = run(path)
    assert (code, out) == (2, "")
    assert message in err


def test_tokens_of_mesh_programs_are_read(run: Run, tmp_path: Path) -> None:
    text = "TASK\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n  0: END\n"
    (tmp_path / "task.tgsi").write_text(text)
    (tmp_path / "task.tok").write_bytes(token_bytes(run, tmp_path / "task.tgsi"))
    assert run(tmp_path / "task.tok") == (0, text, "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GOOD.encode("utf-16"), "this is UTF-16 text; write it in UTF-8"),
        (GOOD.encode("utf-16-le"), "this is UTF-16 text; write it in UTF-8"),
        (GOOD.encode("utf-16-be"), "this is UTF-16 text; write it in UTF-8"),
        (GOOD.encode("utf-32"), "this is UTF-32 text; write it in UTF-8"),
        (GOOD.encode().replace(b"mov", b"\0mov"), "a NUL character in line 4, at offset 58: Mesa's text ends there"),
    ],
)
def test_other_encodings_are_named(run: Run, tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x.tgsi"
    path.write_bytes(data)
    code, out, err = run(path)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.encode() + b"\0",
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        GOOD.replace("\n", " # a comment\r").encode(),
    ],
)
def test_marks_ends_of_strings_and_lines_of_any_kind_are_read(run: Run, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.tgsi"
    path.write_bytes(data)
    assert run(path) == (0, CANONICAL, "")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_places_count_lines_of_any_kind(run: Run, tmp_path: Path, end: str) -> None:
    path = tmp_path / "x.tgsi"
    path.write_bytes(GOOD.replace("mov", "move").replace("\n", end).encode())
    code, _, err = run(path)
    assert code == 1
    assert f"{path}:4:1\n" in err
    assert "4 | move out[0], in[0].x\n" in err


def test_file_named_spv_is_judged_as_spirv(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "junk.spv"
    path.write_bytes(bytes(range(40)))
    code, _, err = run(path)
    assert code == 1
    assert err.startswith(f"error[M001]: {path}: the first word is not the SPIR-V magic number")
