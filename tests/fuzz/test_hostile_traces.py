"""Mutated traces are either played, or refused with an error that names the command, its place and the reason."""

from __future__ import annotations

import random
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import tgsi
from backends.device.calls.errors import RecordingError
from backends.device.calls.table import DETAILS, FIELDS
from backends.device.commands.layout import CHANGING, PREFIX, Command, changes_of, header
from backends.gallium.context.recording.decoder import items
from backends.gallium.tracing.printing import printed
from backends.gallium.tracing.trace_player import Digest, TracePlayer
from tests.unit.gallium.recording_device import Recorder
from tests.unit.gallium.test_bundles import Stage

pytestmark = pytest.mark.light

PLACE = re.compile(r"^(command \d+ \([A-Za-z_ 0-9]+\) at byte \d+: .|the file |the recording )", re.DOTALL)
EDGES = (0, 1, 2, 3, 4, 7, 0xFF, 0xFFFF, 1 << 16, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 24)
MUTANTS = 350
"""Traces of one test; ``python -m tests.fuzz.test_hostile_traces N`` plays more."""
SEEDS = (0, 1, 2, 3, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(4, 20)))


def make_trace(path: Path) -> bytearray:
    with tgsi.Screen(threads=0) as screen:
        create = screen.context_create
        screen.context_create = lambda: create(trace=path)  # type: ignore[method-assign, misc, assignment]
        stage = Stage(screen)
        stage.calls(stage.ctx)
        with stage.ctx.transfer_map(stage.buffer, usage="WRITE") as mapped:
            mapped.data[4] = 3
        for k in range(4):
            stage.ctx.set_constant_buffer("VERTEX", np.array([k / 4, 0, 0, 0], "f4"))
            stage.ctx.draw_vbo(mode="TRIANGLES", count=3, start=k // 2)
        rows = np.zeros(4, [("start", "u4"), ("fragment_constants", "f4", 4)])
        stage.ctx.draw_many(rows, mode="TRIANGLES", count=3)
        query = stage.ctx.create_query("OCCLUSION_COUNTER")
        stage.ctx.begin_query(query)
        stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
        stage.ctx.end_query(query)
        stage.ctx.render_condition(query)
        stage.ctx.set_blend_color((0.5, 0.25, 1, 0))
        stage.ctx.set_scissor_states([{"maxx": 40, "maxy": 40}])
        stage.ctx.buffer_subdata(stage.buffer, b"123456", offset=2)
        stage.ctx.memory_barrier()
        stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
        stage.ctx.render_condition(None)
        surfaces = [stage.ctx.create_surface(stage.screen.resource_create(width0=n, height0=n)) for n in (16, 48)]
        for k in range(8):
            stage.ctx.set_framebuffer_state(cbufs=[surfaces[k % 2]])
            stage.ctx.render_condition(query, condition=k % 4 == 3)
            stage.ctx.draw_vbo(mode="TRIANGLES", count=3)
        stage.ctx.surface_destroy(surfaces[1])
        stage.ctx.render_condition(None)
        stage.ctx.set_framebuffer_state(cbufs=[stage.target])
        stage.ctx.flush()
        stage.pixels()
        stage.ctx.destroy_query(query)
        stage.ctx.flush()
        stage.ctx.destroy()
    return bytearray(path.read_bytes())


def mutated(data: bytearray, rng: random.Random) -> bytearray:
    """The trace with one to four words changed, cut out, doubled or moved; draws stay small."""
    words = list(struct.unpack(f"<{len(data) // 4}I", data))
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(0 if rng.random() < 0.02 else PREFIX.size // 4, len(words))
        match rng.randrange(7):
            case 0:
                words[at] = rng.choice(EDGES)
            case 1:
                words[at] ^= 1 << rng.randrange(32)
            case 2:
                words[at] = rng.getrandbits(32)
            case 3:
                words[at] = words[rng.randrange(4, len(words))]
            case 4:
                del words[at : at + rng.choice((1, 2, 10))]
            case 5:
                words[at:at] = words[at : at + rng.choice((1, 3, 20))]
            case _:
                words[at] = (words[at] & ~255) | rng.randrange(max(Command) + 2)
    return bytearray(struct.pack(f"<{len(words)}I", *words))[: None if rng.random() < 0.95 else rng.randrange(len(words) * 4)]


def is_small(data: bytearray) -> bool:
    """True if no draw of the trace has more than 4096 vertices or instances: large ones are right, and take long."""
    count = instances = 0
    try:
        for item in items(memoryview(data)[PREFIX.size : len(data) // 4 * 4].cast("I"), PREFIX.size):
            if item.command is Command.DRAW:
                count, instances = (item.words[1], item.words[4]) if len(item.words) > 4 else (0, 0)
            elif item.command is Command.REDRAW:
                count, instances = item.changes.get(1, count), item.changes.get(4, instances)
            if max(count, instances, count * instances) > 4096:
                return False
    except RecordingError:
        pass
    return True


def outcome(screen: tgsi.Screen, data: bytearray) -> str:
    """The message of the error, or ''. Any other exception is a fault."""
    found: list[Digest] = []
    context = screen.context_create()
    try:
        TracePlayer(screen, context, found.append).play(data)
    except RecordingError as error:
        return str(error)
    finally:
        context.destroy()
    return ""


def print_all(data: bytearray) -> str:
    """The message of the error, or ''."""
    try:
        for _ in printed(data):
            pass
    except RecordingError as error:
        return str(error)
    return ""


def sweep(data: bytearray, count: int, seed: int) -> dict[str, int]:
    """Play mutants on both devices, print them, and count what happened."""
    rng, counts = random.Random(seed), {"played": 0, "refused": 0}
    with tgsi.Screen(threads=0) as drawing, tgsi.Screen(threads=0, device=Recorder()) as idle:
        for number in range(count):
            mutant = mutated(data, rng)
            message = outcome(drawing if number % 4 == 0 and is_small(mutant) else idle, bytearray(mutant))
            assert not message or PLACE.match(message), message
            counts["refused" if message else "played"] += 1
            if number % 8 == 0:
                message = print_all(mutant)
                assert not message or PLACE.match(message), message
    return counts


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> bytearray:
    return make_trace(tmp_path_factory.mktemp("traces") / "a.trace")


def test_the_trace_is_played_as_it_is(trace: bytearray) -> None:
    with tgsi.Screen(threads=0) as screen:
        assert outcome(screen, bytearray(trace)) == ""
    assert len([shown for shown in printed(trace) if shown["name"] == "DRAW"]) >= 8


@pytest.mark.parametrize("seed", SEEDS)
def test_mutated_traces_are_played_or_refused(trace: bytearray, seed: int) -> None:
    counts = sweep(trace, MUTANTS, seed)
    assert min(counts.values()) > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_random_words_of_fixed_commands_read_nothing_that_is_not_theirs(trace: bytearray, seed: int) -> None:
    """Ten thousand words: fixed commands after the state of the trace, which generated code takes."""
    rng, fixed = random.Random(seed), {Command.DRAW: 10, Command.CONSTANTS: 4, Command.UNIFORMS: 5, Command.VERTEX_BUFFERS: 4}
    fixed |= {Command.INDEX_BUFFER: 3, Command.CLEAR: 12, Command.FORGET: 1, Command.BIND: 1, Command.VIEWPORTS: 13, Command.SCISSORS: 5}
    fixed |= {Command.BLEND_COLOR: 8, Command.STENCIL_REF: 2, Command.SAMPLER_VIEWS: 3, Command.SAMPLERS: 3, Command.FRAMEBUFFER: 7}
    fixed |= {Command.CHANGES: 0, Command.REDRAW: 0, Command.QUERY: 1, Command.CONDITION: 1, Command.BARRIER: 1, Command.SUBDATA: 5}
    end = len(trace) - 4
    with tgsi.Screen(threads=0) as screen:
        for _ in range(16):
            more = bytearray()
            while len(more) < 2600:
                command = rng.choice(list(fixed))
                bits = rng.choice((0, 1, 1 << rng.randrange(16), 0x3C1, 15, rng.getrandbits(16)))
                count = bits.bit_count() if command in CHANGING else fixed[command]
                detail = rng.getrandbits(8) & (0xFF if rng.random() < 0.1 else DETAILS.get(command, 0))
                words = [rng.choice((0, 1, 2, 3, 4, 5, 16, 48, 64, rng.choice(EDGES))) for _ in range(count)]
                if command is Command.DRAW:
                    words[1], words[4] = rng.randrange(400), rng.choice((0, 1, 2))
                    assert len(FIELDS[Command.DRAW][0]) == count
                if command is Command.REDRAW:
                    words = [rng.randrange(400) if place == 1 else word % 3 for place, word in changes_of(bits << 16, words).items()]
                more += struct.pack(f"<{count + 1}I", header(command, bits if command in CHANGING else count, detail), *words)
                message = outcome(screen, trace[:end] + more + trace[end:]) if rng.random() < 0.02 else ""
                assert not message or PLACE.match(message)
            message = outcome(screen, trace[:end] + more + trace[end:])
            assert not message or PLACE.match(message)


if __name__ == "__main__":
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        made = make_trace(Path(folder) / "a.trace")
    for seed in range(int(sys.argv[1]) // 1000):
        print(seed, sweep(made, 1000, 1000 + seed), flush=True)
