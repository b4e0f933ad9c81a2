"""``--shrink``: the fewest calls of a trace that keep a property."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import tgsi
from backends.formats import Format
from backends.gallium.tracing.printing import printed
from backends.gallium.tracing.steps import Step, read_steps, write_steps
from tests.replay.many_draws import draw_many
from tests.unit.gallium.test_traces import play, same
from tgsi.tools.replay.cli import main
from tgsi.tools.replay.played import PlayedTrace, load_steps
from tgsi.tools.replay.shrink.needs import selected, uncompared
from tgsi.tools.replay.shrink.properties import is_pixel, played_target
from tgsi.tools.replay.shrink.reduce import Reduction

pytestmark = pytest.mark.light

Captured = pytest.CaptureFixture[str]


def shrink(path: Path, test: str) -> int:
    return main([str(path), "--shrink", test, "-o", str(path.parent), "--threads", "0"])


def calls(path: Path) -> list[str]:
    return [item["call"] for item in printed(bytearray(path.read_bytes())) if "call" in item]


def white_place(path: Path) -> str:
    """A pixel that the white draw left in the picture."""
    with tgsi.Screen(threads=0) as screen, PlayedTrace(screen, load_steps(path)) as trace:
        trace.play(len(trace.steps))
        data = trace.targets()[0].data()[0]
    y, x = next((int(y), int(x)) for y, x in zip(*(data[..., :3] == 255).all(axis=-1).nonzero()))
    return f"{x},{y}"


def test_steps_are_a_trace_again(tmp_path: Path) -> None:
    path = draw_many(tmp_path / "a.trace")
    steps = list(read_steps(bytearray(path.read_bytes())))
    assert same(play(bytearray(write_steps(steps))))
    for step in steps:
        again = list(read_steps(bytearray(write_steps([step]))))
        assert [(item.name, item.words) for item in again] == [(step.name, step.words)]


def test_a_pixel_is_traced_to_its_draw(tmp_path: Path, capsys: Captured) -> None:
    path = draw_many(tmp_path / "a.trace", 60, white=41)
    assert shrink(path, f"pixel {white_place(path)} is 255,255,255,255") == 0
    result = tmp_path / "a.shrunk.trace"
    found = calls(result)
    assert found.count("draw_vbo") == 1
    assert not {"clear", "bind_blend_state", "texture_read", "create_blend_state"} & set(found)
    assert same(play(bytearray(result.read_bytes()))), "the result has digests of its own"
    assert "1 of 61 draws" in capsys.readouterr().out


def test_a_shell_command_is_a_property(tmp_path: Path) -> None:
    path = draw_many(tmp_path / "a.trace", 12, white=7)
    before = hashlib.sha256(path.read_bytes()).digest()
    white = "0000803f" * 4
    assert shrink(path, f"od -An -tx4 -v \"$1\" | tr -d ' \\n' | grep -q {'3f800000' * 4}") == 0
    data = (tmp_path / "a.shrunk.trace").read_bytes()
    assert bytes.fromhex(white) in data
    assert calls(tmp_path / "a.shrunk.trace") == ["set_constant_buffer"]
    assert hashlib.sha256(path.read_bytes()).digest() == before


def test_a_python_function_is_a_property(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    path = draw_many(tmp_path / "a.trace", 12, white=7)
    x, y = map(int, white_place(path).split(","))
    (tmp_path / "checks_of_shrink.py").write_text(
        f"def is_white(pixels):\n    return (pixels[{y}, {x}] == 255).all()\n\n\ndef wrong(pixels):\n    return pixels[1000]\n"
    )
    monkeypatch.chdir(tmp_path)
    for test in ("checks_of_shrink.py:is_white", "checks_of_shrink:is_white"):
        assert shrink(path, test) == 0
        assert calls(tmp_path / "a.shrunk.trace").count("draw_vbo") == 1
    assert shrink(path, "checks_of_shrink.py:wrong") == 2
    message = capsys.readouterr().err
    assert "raised IndexError" in message
    assert "checks_of_shrink.py, line 6" in message
    (tmp_path / "broken.py").write_text("import sys\n\nnumpy.zeros(3)\n")
    missing = {
        "checks_of_shrink.py:other": "has no function other",
        "no_such.module:f": "cannot be loaded: ModuleNotFoundError: No module named 'no_such'",
        "no.py:f": "no.py cannot be loaded: no such file or directory",
        "broken.py:f": "broken.py cannot be loaded: NameError: name 'numpy' is not defined (broken.py, line 3)",
        "broken:f": "broken cannot be loaded: NameError: name 'numpy' is not defined",
    }
    for test, reason in missing.items():
        assert shrink(path, test) == 2
        assert reason in capsys.readouterr().err


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_one_draw_of_many_is_found_by_few_tests(tmp_path: Path, jobs: int) -> None:
    steps = uncompared(load_steps(draw_many(tmp_path / "a.trace", 300, reads=False)))
    wanted = {steps[k].words for k in range(len(steps)) if steps[k].name == "set_constant_buffer" and k > 700}
    culprit = min(wanted)

    def holds(tried: Sequence[Step]) -> bool:
        names = [step.name for step in tried]
        return culprit in {step.words for step in tried} and "draw_vbo" in names

    reduction = Reduction(steps, holds, lambda smaller: None, jobs)
    reduction.run()
    assert [step.name for step in reduction.best if step.name == "draw_vbo"] == ["draw_vbo"]
    assert holds(reduction.best)
    assert len(reduction.best) == 2
    assert reduction.tests < 30 * jobs


def test_draws_that_only_together_have_the_property_stay(tmp_path: Path) -> None:
    steps = uncompared(load_steps(draw_many(tmp_path / "a.trace", 60, reads=False)))
    constants = sorted({step.words for step in steps if step.name == "set_constant_buffer"})[5:60:17]

    def holds(tried: Sequence[Step]) -> bool:
        return set(constants) <= {step.words for step in tried}

    reduction = Reduction(steps, holds, lambda smaller: None)
    reduction.run()
    assert sorted(step.words for step in reduction.best) == constants


def test_several_commands_run_at_a_time(tmp_path: Path) -> None:
    path = draw_many(tmp_path / "a.trace", 12, white=7)
    command = f"mkdir {tmp_path}/$$ && sleep 0.02 && ls -d {tmp_path}/[0-9]* | wc -l >> {tmp_path}/running; rmdir {tmp_path}/$$; "
    command += f"od -An -tx4 -v \"$1\" | tr -d ' \\n' | grep -q {'3f800000' * 4}"
    assert main([str(path), "--shrink", command, "-o", str(tmp_path), "--threads", "0", "--jobs", "3"]) == 0
    assert calls(tmp_path / "a.shrunk.trace") == ["set_constant_buffer"]
    assert 1 < max(map(int, (tmp_path / "running").read_text().split())) <= 3


def test_a_refusal_is_kept_with_what_it_needs(tmp_path: Path) -> None:
    path = draw_many(tmp_path / "a.trace", 12)
    steps = load_steps(path)
    last = max(k for k, step in enumerate(steps) if step.name == "draw_vbo")
    unbound = next(read_steps(bytearray(write_steps([_bind_nothing()]))))
    (tmp_path / "b.trace").write_bytes(write_steps([*steps[:last], unbound, *steps[last:]]))
    assert shrink(tmp_path / "b.trace", "raises") == 0
    assert calls(tmp_path / "b.shrunk.trace") == ["draw_vbo"]
    assert shrink(tmp_path / "b.trace", "raises no such reason") == 2


def _bind_nothing() -> Step:
    from backends.device.calls.table import COMMANDS
    from backends.device.commands.layout import Command, pack

    number = next(number for number, (row, _) in COMMANDS[Command.BIND].items() if row.name == "bind_vs_state")
    return Step(0, pack(Command.BIND, 0, detail=number), None)


def test_a_property_that_the_trace_lacks_is_code_2(tmp_path: Path, capsys: Captured) -> None:
    path = draw_many(tmp_path / "a.trace", 3)
    assert shrink(path, "pixel 1,1 is 9,9,9,9") == 2
    assert shrink(path, "pixel 1,1 looks odd") == 2
    assert "is not a property" in capsys.readouterr().err
    assert shrink(path, "digest differs with lanes 8") == 2
    assert not (tmp_path / "a.shrunk.trace").exists()


def test_a_digest_is_a_property(tmp_path: Path) -> None:
    path = draw_many(tmp_path / "a.trace", 4, reads=False)
    blank = hashlib.sha256(bytes(48 * 48 * 4)).hexdigest()
    assert shrink(path, f"digest differs from {blank}") == 0
    found = calls(tmp_path / "a.shrunk.trace")
    assert found.count("draw_vbo") + found.count("clear") == 1
    with tgsi.Screen(threads=0) as screen:
        digest = played_target(screen, load_steps(path), None)[1].hex()
    assert shrink(path, f"digest is {digest[:16]}") == 0
    found = calls(tmp_path / "a.shrunk.trace")
    assert found.count("draw_vbo") + found.count("clear") == 5, "each of them shows"


def test_the_best_result_is_written_when_it_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = draw_many(tmp_path / "a.trace", 20, white=11)
    count = 0

    def interrupted(self: Any, steps: Sequence[Step], choices: Sequence[set[int]]) -> list[bool]:
        nonlocal count
        count += 1
        if count == 6:
            raise KeyboardInterrupt
        return original(self, steps, choices)

    original = Reduction._try_all
    monkeypatch.setattr(Reduction, "_try_all", interrupted)
    assert shrink(path, f"pixel {white_place(path)} is 255,255,255,255") == 130
    found = calls(tmp_path / "a.shrunk.trace")
    assert 1 <= found.count("draw_vbo") < 20
    assert [item.name for item in tmp_path.iterdir() if item.name.startswith(".")] == []


def test_objects_that_nothing_uses_go_along(tmp_path: Path) -> None:
    steps = uncompared(load_steps(draw_many(tmp_path / "a.trace", 6)))
    clear = next(k for k, step in enumerate(steps) if step.name == "clear")
    names = [step.name for step in selected(steps, {clear, *(k for k, step in enumerate(steps) if step.name == "set_framebuffer_state")})]
    assert names == ["resource_create", "set_framebuffer_state", "clear"]


@pytest.mark.parametrize(
    ("format", "data", "wanted", "is_same"),
    [
        (Format.R8G8B8A8_UNORM, "ff800010", "255,128,0,16", True),
        (Format.R8G8B8A8_UNORM, "ff800010", "1.0,0.5", True),
        (Format.R8G8B8A8_UNORM, "ff800010", "1,128", False),
        (Format.B8G8R8A8_UNORM, "00 80 ff 10", "255,128,0,16", True),
        (Format.R32_FLOAT, "0000803e", "0.25", True),
        (Format.R32_FLOAT, "0000c07f", "nan", True),
        (Format.R32_FLOAT, "0000803e", "0.26", False),
        (Format.R8_UINT, "07", "7", True),
    ],
)
def test_pixels_are_compared_as_stored_numbers_or_as_values(format: Format, data: str, wanted: str, is_same: bool) -> None:
    assert is_pixel(format, bytes.fromhex(data), wanted.split(",")) is is_same


CHECK = """
import sys
from pathlib import Path

import tgsi
from tgsi.tools.replay.played import PlayedTrace, load_steps

with tgsi.Screen(threads=0) as screen, PlayedTrace(screen, load_steps(Path(sys.argv[1]))) as trace:
    trace.play(len(trace.steps))
    targets = trace.targets()
    sys.exit(not targets or not (targets[0].data()[0, 0, 0] == 255).all())
"""


@pytest.mark.nightly
def test_a_trace_of_2000_draws_is_shrunk_and_told_apart_in_time(tmp_path: Path, capsys: Captured) -> None:
    import time

    path = draw_many(tmp_path / "a.trace", 2000, white=1234, in_corner=True)
    began = time.process_time()
    assert shrink(path, f"pixel {white_place(path)} is 255,255,255,255") == 0
    assert time.process_time() - began < 60
    assert calls(tmp_path / "a.shrunk.trace").count("draw_vbo") == 1
    (tmp_path / "check.py").write_text(CHECK)
    before = os.times()
    assert shrink(path, f"{sys.executable} {tmp_path}/check.py") == 0
    after = os.times()
    assert sum(after[:4]) - sum(before[:4]) < 60, "seconds of processors, of a test that starts Python as well"
    assert calls(tmp_path / "a.shrunk.trace").count("draw_vbo") == 1
    other = draw_many(tmp_path / "b.trace", 2000)
    capsys.readouterr()
    began = time.process_time()
    assert main([str(path), "--diff", str(other), "-o", str(tmp_path), "--format", "json"]) == 1
    assert time.process_time() - began < 10
    assert json.loads(capsys.readouterr().out)["first_draw"]["draws"] == [1236, 1236]
