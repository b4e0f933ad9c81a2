"""Wrong commands cause a line that names the command, the position and the field; the commands after them run."""

from __future__ import annotations

import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.vtest.encoder import COVER, FRAGMENT, PASS_FS, RGBA8, VERTEX, Commands, Runner, Stream, draw, floats, read, target, vertices
from tgsi.gallium import Screen
from tgsi.tools.vtest.commands.table import COMMANDS, OBJECTS
from tgsi.tools.vtest.protocol.numbers import COMMAND_NAMES, OBJECT_NAMES
from tgsi.tools.vtest.session.session import MAX_COMPLAINTS

UNKNOWN = {"PIPE_RESOURCE_CREATE", "PIPE_RESOURCE_SET_TYPE"}
"""Commands that none of our capabilities announces, video commands among them."""


def test_the_table_has_a_row_for_every_command_that_is_invited() -> None:
    missing = {name for number, name in enumerate(COMMAND_NAMES) if number not in COMMANDS and name != "CREATE_OBJECT"}
    video = set(COMMAND_NAMES[COMMAND_NAMES.index("CREATE_VIDEO_CODEC") :])
    assert missing == UNKNOWN | video


def test_the_table_can_create_every_kind_of_object_that_is_invited() -> None:
    assert {OBJECT_NAMES[number] for number in OBJECTS} == set(OBJECT_NAMES) - {"NULL"}


@pytest.mark.parametrize("number", sorted(COMMANDS))
def test_a_command_that_is_too_short_names_its_missing_word(serve: Runner, number: int) -> None:
    row = COMMANDS[number]
    if not row.least:
        return
    result = serve(Stream().submit(Commands().raw(number, 0, [0] * (row.least - 1))))
    assert f"{row.name} at word 0: {row.fields[row.least - 1]}" in result.lines[0]


def test_a_command_longer_than_its_message_is_told_with_its_place(serve: Runner) -> None:
    result = serve(Stream().submit(Commands().add("NOP").raw(7, 0, [1, 2], length=8)))
    assert result.lines == ["test: CLEAR at word 1: length: 8 words, but only 2 are left"]


WRONG = {
    "an unknown command": (Commands().raw(200, 0, []), "it does not exist here"),
    "an unknown object kind": (Commands().raw(1, 99, [1]), "kind 99 cannot be created"),
    "video": (Commands().add("CREATE_VIDEO_CODEC", 1, 2), "it does not exist here"),
    "a handle that is not there": (Commands().add("BIND_SHADER", 77, 0), "there is no object 77"),
    "a handle of another kind": (Commands().bind("BLEND", 20), "object 20 is a SHADER, expected a BLEND"),
    "a resource that is not there": (Commands().add("SET_VERTEX_BUFFERS", 16, 0, 99), "res_handle: there is no resource 99"),
    "a stage that does not exist": (Commands().add("BIND_SHADER", 0, 9), "shader_type: 9 is not in 0 .. 5"),
    "a shader for another stage": (Commands().add("BIND_SHADER", 20, 1), "shader 20 is a VERTEX shader"),
    "a viewport slot": (Commands().add("SET_VIEWPORT_STATE", 99, *floats(1, 1, 1, 1, 1, 1)), "start_slot: 99 is not in 0 .. 16"),
    "half a viewport": (Commands().add("SET_VIEWPORT_STATE", 0, *floats(1, 1)), "scale_z: it is missing"),
    "a primitive": (Commands().add("DRAW_VBO", 0, 3, 77, *[0] * 9), "mode: 77"),
    "an index size": (Commands().add("SET_INDEX_BUFFER", 1, 3, 0), "index_size: 1, 2 or 4 bytes, not 3"),
    "indices without a buffer": (Commands().add("DRAW_VBO", *draw(indexed=1)), "no index buffer is bound"),
    "a format": (Commands().create("SURFACE", 50, 1, 777, 0, 0), "format: 777 is not a supported format"),
    "a level": (Commands().create("SURFACE", 50, 1, RGBA8, 9, 0), "level: 9 is not in 0 .. 0"),
    "a count of targets": (Commands().add("SET_FRAMEBUFFER_STATE", 5, 0, 10), "nr_cbufs: it is 5"),
    "a box outside": (Commands().add("RESOURCE_INLINE_WRITE", 1, 0, 0, 0, 0, 15, 0, 0, 4, 1, 1, 0), "box: 15 + 4"),
    "too little data": (Commands().add("RESOURCE_INLINE_WRITE", 1, 0, 0, 0, 0, 0, 0, 0, 4, 4, 1, 0), "64 bytes"),
    "a negative box": (Commands().add("CLEAR_TEXTURE", 1, 0, -1, 0, 0, 4, 1, 1, 0, 0, 0, 0), "box: -1"),
    "a text that is not a shader": (
        Commands().shader(50, FRAGMENT, "FRAG\nHELLO\nEND\n"),
        ("fragment shader 50 is refused", "unknown opcode `HELLO`"),
    ),
    "a text of another stage": (Commands().shader(50, VERTEX, PASS_FS), "expected a VERT program"),
    "a piece of nothing": (Commands().piece(50, VERTEX, 5 | 1 << 31, b"abc"), "the beginning of the text of shader 50 is missing"),
    "outputs that are not there": (Commands().shader(50, VERTEX, "", (60,)), "60 outputs need"),
    "a query kind": (Commands().create("QUERY", 50, 99, 0, 2), "type: 99 is not in 0 .. 12"),
    "a query outside of its buffer": (Commands().create("QUERY", 50, 0, 4096, 2), "do not fit"),
    "a result that is not there": (Commands().add("GET_QUERY_RESULT", 50, 1), "there is no object 50"),
    "a sub-context that is not there": (Commands().add("SET_SUB_CTX", 9), "there is no sub-context 9"),
    "a blend factor": (Commands().create("BLEND", 50, 0, 0, 1, *[0] * 7), "rgb_src_factor"),
    "a constant buffer slot": (Commands().add("SET_CONSTANT_BUFFER", 0, 99, 0), "index: 99 is not in 0 .. 15"),
    "a sampler unit": (Commands().add("SET_SAMPLER_VIEWS", 1, 40, 0), "start_slot: 41 is not in 0 .. 32"),
    "memory that is not shared": (Commands().add("TRANSFER3D", 2, *[0] * 10, 0, 1), "has no shared memory"),
    "a huge grid": (Commands().add("LAUNCH_GRID", *[1 << 20] * 6, 0, 0), "launch_grid"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_command_is_told_and_what_follows_is_carried_out(serve: Runner, case: str) -> None:
    commands, words = WRONG[case]
    texts = (words,) if isinstance(words, str) else words  # one for each line
    stream = target().buffer(2, vertices(*COVER)).submit(commands)
    result = serve(read(stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw()))))
    assert len(result.lines) == len(texts), result.lines
    assert all(line.startswith("test: ") and text in line for line, text in zip(result.lines, texts, strict=True)), result.lines
    assert (result.pixels(16, 16) == (255, 0, 0, 255)).all()


@pytest.mark.parametrize(
    "words",
    [
        (1, 2, 67, 8, 0, 1, 1, 1, 0, 0),
        (1, 2, 67, 8, 1 << 31, 1, 1, 1, 0, 0),
        (1, 9, 67, 8, 4, 4, 1, 1, 0, 0),
        (0, 2, 67, 8, 4, 4, 1, 1, 0, 0),
    ],
)
def test_a_resource_that_cannot_be_is_told(serve: Runner, words: tuple[int, ...]) -> None:
    result = serve(Stream().message(2, *words).wait())
    assert len(result.lines) == 1
    assert result.replies == struct.pack("<3I", 1, 7, 0)


def test_a_client_that_only_errs_is_told_so_a_limited_number_of_times(serve: Runner) -> None:
    commands = Commands()
    for _ in range(2 * MAX_COMPLAINTS):
        commands.add("BIND_SHADER", 77, 0)
    assert len(serve(Stream().submit(commands)).lines) == MAX_COMPLAINTS + 1


def test_a_shader_that_loops_forever_does_not_hang_the_server(serve: Runner) -> None:
    text = "FRAG\nDCL OUT[0], COLOR\nBGNLOOP\nENDLOOP\nEND\n"
    stream = target(4).buffer(2, vertices(*COVER)).submit(Commands().shader(22, FRAGMENT, text).add("BIND_SHADER", 22, FRAGMENT))
    serve(read(stream.submit(Commands().add("SET_VERTEX_BUFFERS", 32, 0, 2).add("DRAW_VBO", *draw())), 4))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(COMMANDS) + [1, 1, 1]),
            st.integers(0, 11),
            st.lists(st.integers(0, 40) | st.integers(0, 2**32 - 1), max_size=24),
        ),
        max_size=40,
    )
)
def test_random_commands_never_do_more_than_complain(screen: Screen, serve: Runner, items: list[tuple[int, int, list[int]]]) -> None:
    commands = Commands()
    for number, kind, words in items:
        commands.raw(number, kind, words)
    result = serve(target().buffer(2, vertices(*COVER)).submit(commands).wait())
    assert result.replies == struct.pack("<3I", 1, 7, 0)
    assert not [line for line in result.lines if "Traceback" in line or "Error:" in line]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400))
def test_random_bytes_end_the_connection_at_worst(screen: Screen, serve: Runner, data: bytes) -> None:
    stream = Stream()
    stream.data += data
    assert not [line for line in serve(stream).lines if "Traceback" in line]
