"""Files and lines about clients: the log, the summary, pictures, films, names of parts."""

from __future__ import annotations

import io
import logging
import os
import socket
import threading
from pathlib import Path

import pytest
from PIL import Image
from rich.console import Console
from rich.text import Text

from tests.vtest.encoder import COVER, FRAGMENT, RGBA8, TARGET, TEXTURE_2D, Commands, Stream, draw, pipeline, read, target, vertices
from tests.vtest.test_command import red
from tgsi.gallium import Screen
from tgsi.tools.replay.cli import main as replay
from tgsi.tools.vtest.cli import main
from tgsi.tools.vtest.output import film as film_module
from tgsi.tools.vtest.output import log, pictures
from tgsi.tools.vtest.output.film import Film
from tgsi.tools.vtest.output.parts import Parts, part
from tgsi.tools.vtest.output.pictures import Pictures
from tgsi.tools.vtest.output.progress import MANY_LOOKS, Compilations
from tgsi.tools.vtest.output.shader_texts import ShaderTexts
from tgsi.tools.vtest.output.summary import Summary
from tgsi.tools.vtest.output.wanted import LAST, Wanted
from tgsi.tools.vtest.processes.marks import Mark
from tgsi.tools.vtest.protocol.numbers import SHOWN
from tgsi.tools.vtest.protocol.wire import FileWire
from tgsi.tools.vtest.server import Options, serve_client
from tgsi.tools.vtest.session.messages import answer
from tgsi.tools.vtest.session.session import Session

Captured = pytest.CaptureFixture[str]


def run(screen: Screen, stream: Stream, wanted: Wanted | None = None, *, log_commands: bool = False) -> Session:
    """Session that has run a stream, as process 5."""
    made = None if wanted is None else Pictures(wanted, 5)
    wire = FileWire(io.BytesIO(bytes(stream.data)), io.BytesIO())
    session = Session(screen, wire, print, protocol=0, pictures=made, log_commands=log_commands)
    answer(session)
    return session


# -- the log -------------------------------------------------------------------------------------------------------------
def test_lines_go_to_stderr_from_one_level_on_and_to_a_file_from_another(tmp_path: Path, capsys: Captured) -> None:
    log.set_up(logging.WARNING, tmp_path / "log", logging.DEBUG)
    log.LOG.info("small")
    log.LOG.warning("large")
    assert capsys.readouterr().err == "tgsi-vtest: large\n"
    assert [line.split(": ")[1] for line in (tmp_path / "log").read_text().splitlines()] == ["small", "large"]
    log.set_up(logging.ERROR)
    log.LOG.warning("large")
    assert capsys.readouterr().err == ""


def test_a_log_that_cannot_be_written_is_told_with_the_place(tmp_path: Path, capsys: Captured) -> None:
    assert main(["--log", str(tmp_path), "--replay", "none.bin"]) == 2
    assert f"{tmp_path}: cannot be written" in capsys.readouterr().err


def test_commands_are_logged_whole_with_the_names_of_their_words(screen: Screen, tmp_path: Path) -> None:
    log.set_up(logging.ERROR, tmp_path / "log", log.COMMANDS)
    values = [k / 64 for k in range(1, 200)]
    stream = red().submit(Commands().constants(1, *values))
    run(screen, stream, log_commands=True)
    log.set_up(logging.ERROR)
    lines = (tmp_path / "log").read_text().splitlines()
    assert any("DRAW_VBO start=0 count=3 " in line for line in lines)
    (constants,) = (line for line in lines if "SET_CONSTANT_BUFFER" in line)
    assert constants.count("0x") == len(values)
    assert any("BIND_OBJECT BLEND handle=" in line for line in lines)


def test_wrong_options_of_pictures_and_logs_are_told(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--screenshot", "some", "--", "true"])
    assert "is not one of: every, last, a number N" in capsys.readouterr().err
    assert main(["run", "--log", "a.txt", "--log", "b.txt", "--", "true"]) == 2
    assert "one level and one file at most" in capsys.readouterr().err


# -- the summary ---------------------------------------------------------------------------------------------------------
def test_marks_of_a_session_count_shaders_draws_frames_and_errors(screen: Screen) -> None:
    marks = run(screen, red().submit(Commands().add("BIND_SHADER", 77, 0))).marks
    assert [marks[mark] for mark in (Mark.SHADERS, Mark.DRAWS, Mark.FRAMES, Mark.ERRORS)] == [2, 1, 0, 1]
    assert run(screen, window(3)).marks[Mark.FRAMES] == 3


def test_the_summary_adds_the_clients_of_a_program(capsys: Captured) -> None:
    summary = Summary()
    marks = [0] * len(Mark)
    marks[Mark.DRAWS], marks[Mark.ENDED], marks[Mark.COMPILE_NS] = 1200, 3, 1_500_000_000
    for program in ("gears", "gears", "browser"):
        summary.add(program, marks)
    summary.show()
    lines = capsys.readouterr().err.splitlines()
    assert lines[1].split() == ["gears", "2", "0", "2,400", "0", "6", "in", "3.0", "s", "0", "0"]
    assert lines[2].split()[:2] == ["browser", "1"]


LOOPS = "FRAG\nDCL OUT[0], COLOR\n" + "BGNLOOP\n" * 101 + "BRK\nENDLOOP\n" * 101 + "END\n"
LONG = "FRAG\nDCL OUT[0], COLOR\n" + "NOP\n" * 33_000 + "END\n"


@pytest.mark.parametrize(
    ("text", "named", "limit"), [(LOOPS, "fragment shader 22", "100 deep"), (LONG, "FRAG program", "32768 instructions")]
)
def test_log_and_summary_say_which_shader_is_refused_at_which_limit_and_what_to_do(
    screen: Screen, capsys: Captured, text: str, named: str, limit: str
) -> None:
    commands = Commands()
    for handle in (22, 23):
        commands.shader(handle, FRAGMENT, text).add("BIND_SHADER", handle, FRAGMENT).add("SET_VERTEX_BUFFERS", 32, 0, 2)
        commands.add("DRAW_VBO", *draw())
    marks = run(screen, target().buffer(2, vertices(*COVER)).submit(commands)).marks
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "is refused" in line]
    for words in (named, limit, "leave out" if text is LOOPS else "shorten", "--dump-shaders"):
        assert words in line
    summary = Summary()
    summary.add("game", marks)
    summary.show()
    shown = capsys.readouterr().err.splitlines()[-1]
    assert shown.startswith("game: ")
    assert line.split(": ", 1)[1][:300] in shown
    assert "(and 1 more)" in shown


def test_kernels_that_are_compiled_for_long_are_shown_until_they_are_done() -> None:
    shown = io.StringIO()
    compilations = Compilations(Console(file=shown, force_terminal=True, width=80))
    marks = [0] * len(Mark)
    marks[Mark.COMPILING] = 3
    for _ in range(MANY_LOOKS - 1):
        compilations.look([("gears", tuple(marks))])
    assert shown.getvalue() == ""
    compilations.look([("gears", tuple(marks)), ("idle", (0,) * len(Mark))])
    assert Text.from_ansi(shown.getvalue()).plain.strip() == "compiling for gears: 3 kernels"
    marks[Mark.ENDED] = 3
    compilations.look([("gears", tuple(marks))])
    length = len(shown.getvalue())
    compilations.end()
    assert len(shown.getvalue()) == length  # the line is gone already


# -- pictures ------------------------------------------------------------------------------------------------------------
HALF = ((-1, 0), (3, 0), (-1, 4))
"""Triangle over the half where y is positive, which has the larger addresses."""


def window(frames: int, bind: int = TARGET | SHOWN) -> Stream:
    """Stream that draws into a half of a target and reads it, several times."""
    stream = Stream().resource(1, TEXTURE_2D, RGBA8, bind, 16, 16).submit(pipeline(16)).buffer(2, vertices(*HALF))
    for _ in range(frames):
        stream = read(stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())))
    return stream


def test_the_last_picture_of_a_client_is_that_of_its_window(screen: Screen, tmp_path: Path) -> None:
    run(screen, window(3), Wanted(folder=tmp_path, pictures=LAST))
    (file,) = tmp_path.iterdir()
    assert file.name == "test-5.png"
    picture = Image.open(file)
    assert (picture.getpixel((3, 2)), picture.getpixel((3, 13))) == ((0, 0, 0), (255, 0, 0))  # rows as they lie in memory


def test_targets_that_no_window_shows_are_turned_as_opengl_has_them(screen: Screen, tmp_path: Path) -> None:
    run(screen, window(1, TARGET), Wanted(folder=tmp_path, pictures=LAST))
    picture = Image.open(tmp_path / "test-5.png")
    assert (picture.getpixel((3, 2)), picture.getpixel((3, 13))) == ((255, 0, 0), (0, 0, 0))


def test_every_nth_picture_is_written_and_the_end_of_many_is_told(
    screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    log.set_up(logging.WARNING)
    monkeypatch.setattr(pictures, "MOST_FILES", 2)
    run(screen, window(7), Wanted(folder=tmp_path, pictures=3))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["test-5-000.png", "test-5-001.png"]
    assert "no more than 2 pictures are written; --screenshot N takes every Nth" in capsys.readouterr().err


def test_a_film_has_the_frames_of_windows_and_grows_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film_module, "MOST_FRAMES", 8)
    film = Film()
    for k in range(200):
        if film.wants(k * 0.03):
            film.add(Image.new("RGB", (960, 20), (k, 0, 0)), k * 0.03)
    film.write(tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as made:
        assert made.size == (480, 10)
        count, total = getattr(made, "n_frames", 0), 0
        for k in range(count):
            made.seek(k)
            total += made.info["duration"]
    assert 4 <= count <= 8
    assert abs(total - 200 * 30) <= 800  # milliseconds


def test_films_of_clients_are_parts_that_the_parent_names_in_the_order_of_their_ends(screen: Screen, tmp_path: Path) -> None:
    wanted = Wanted(film=tmp_path / "a.gif")
    parts = Parts(wanted.files)
    run(screen, window(1), wanted)
    run(screen, red(), Wanted(film=tmp_path / "none.gif"))  # shows no window
    parts.collect(7, "another client")
    parts.collect(5, "test")
    part(tmp_path / "a.gif", 8).write_text("another one")
    parts.collect(8, "test")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a-2.gif", "a.gif"]
    assert (tmp_path / "a.gif").read_bytes()[:3] == b"GIF"


# -- streams and shaders -------------------------------------------------------------------------------------------------
def test_a_recorded_client_is_played_again_with_the_same_replies_and_pictures(tmp_path: Path, capsys: Captured) -> None:
    wanted = Wanted(folder=tmp_path, stream=tmp_path / "a.bin")
    ours, theirs = socket.socketpair()
    stream = window(2)
    client = threading.Thread(target=_talk, args=(ours, bytes(stream.data) + b"\x20\0\0\0\x06\0\0\0half"))
    client.start()
    assert serve_client(theirs, Options(wanted=wanted, threads=0)) == 0
    client.join()
    Parts(wanted.files).collect(os.getpid(), "test")
    assert (tmp_path / "a.bin").read_bytes() == bytes(stream.data)  # without the message that never came whole
    options = ["--compare", "--screenshot", "last", "-o", str(tmp_path / "again"), "--gif", str(tmp_path / "a.gif")]
    assert main(["--replay", str(tmp_path / "a.bin"), *options, "--threads", "0"]) == 0
    assert "1 gave the recorded replies" in capsys.readouterr().out
    assert {file.name for file in (tmp_path / "again").iterdir()} == {"a.rep", "test-a.png"}
    assert (tmp_path / "a.gif").exists()


def _talk(server: socket.socket, data: bytes, *, listens: bool = False) -> None:
    """Send everything, and leave without a look at the replies, or after all of them."""
    with server:
        server.sendall(data)
        if listens:
            server.shutdown(socket.SHUT_WR)
            while server.recv(1 << 16):
                pass


def test_a_client_that_sends_no_command_leaves_no_stream(tmp_path: Path) -> None:
    wanted = Wanted(stream=tmp_path / "a.bin")
    ours, theirs = socket.socketpair()
    _talk(ours, bytes(Stream("me").data))
    assert serve_client(theirs, Options(wanted=wanted, threads=0)) == 0
    assert list(tmp_path.iterdir()) == []


def test_shaders_are_written_as_they_came_and_after_passes_by_the_name_of_the_program(screen: Screen, tmp_path: Path) -> None:
    long = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}\nMOV TEMP[0], IMM[0]\nMOV OUT[0], TEMP[0]\nEND\n"
    wire = FileWire(io.BytesIO(bytes(Stream("a/my game").submit(Commands().shader(40, FRAGMENT, long)).data)), io.BytesIO())
    answer(Session(screen, wire, print, protocol=0, texts=ShaderTexts(tmp_path, 5)))
    folder = tmp_path / "my_game-5"
    assert (folder / "000.fragment.tgsi").read_text() == long
    after = (folder / "000.fragment.passes.tgsi").read_text()
    assert "TEMP" not in after
    assert "MOV OUT[0], IMM[0]" in after


def test_the_calls_of_contexts_that_draw_are_traced_and_made_again(tmp_path: Path, capsys: Captured) -> None:
    wanted = Wanted(trace=tmp_path / "a.trace")
    texels = bytes(range(64)) * 4
    stream = window(2).resource(5, TEXTURE_2D, RGBA8, TARGET, 8, 8).put(5, 0, (0, 0, 0, 8, 8, 1), texels).get(5, 0, (0, 0, 0, 8, 8, 1), 256)
    stream = stream.submit(Commands().add("CREATE_SUB_CTX", 7).add("SET_SUB_CTX", 7))  # which draws nothing
    ours, theirs = socket.socketpair()
    client = threading.Thread(target=_talk, args=(ours, bytes(stream.data)), kwargs={"listens": True})
    client.start()
    assert serve_client(theirs, Options(wanted=wanted, threads=0, protocol=0)) == 0
    client.join()
    Parts(wanted.files).collect(os.getpid(), "test")
    assert [file.name for file in tmp_path.iterdir()] == ["a.trace"]
    assert replay([str(tmp_path / "a.trace")]) == 0
    assert "1 passed, 0 failed" in capsys.readouterr().out
    assert replay([str(tmp_path / "a.trace"), "--print"]) == 0
    printed = capsys.readouterr().out
    assert '"draw_vbo"' in printed
    assert "texture_subdata" in printed


def test_replay_of_a_trace_names_the_command_that_plays_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.trace").write_bytes(b"TGSI-CMD" + bytes(8))
    assert main(["--replay", str(tmp_path / "a.trace")]) == 2
    assert "a.trace: it is a trace of a context; tgsi-replay plays it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"hello world\n", "it is not a stream, as tgsi-vtest --record writes: it does not begin with a message of a client"),
        (b"short", "it is not a stream, as tgsi-vtest --record writes: it does not begin with a message of a client"),
    ],
)
def test_replay_of_a_file_that_is_no_stream_plays_nothing(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.bin").write_bytes(content)
    assert main(["--replay", str(tmp_path / "a.bin")]) == 2
    assert capsys.readouterr() == ("", f"tgsi-vtest: {tmp_path / 'a.bin'}: {message}\n")


def test_a_missing_stream_is_named_without_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--replay", str(tmp_path / "missing.bin")]) == 2
    assert capsys.readouterr().err == f"tgsi-vtest: {tmp_path / 'missing.bin'}: no such file or directory\n"
