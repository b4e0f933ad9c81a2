"""Commands whose output is no longer read end silently."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tgsi

pytestmark = [pytest.mark.light, pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")]

SHADER = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
STREAM = b"\x07\0\0\0\x08\0\0\0client\0" + b"\0\0\0\0\x09\0\0\0"
COMMANDS = [
    "replay --print a.trace",
    "replay --digest a.trace",
    "replay --format json a.trace",
    "replay a.bin",
    "replay missing.json",
    "replay --help",
    "vtest --replay a.bin",
    "vtest --replay a.bin --stats -v",
    "vtest --help",
    "compile a.tgsi --check",
    "compile a.tgsi --emit text",
    "compile a.tgsi --emit tokens",
    "compile a.tgsi --time-passes",
    "compile --list-passes",
    "compile --explain V030",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("closed")
    (place / "a.tgsi").write_text(SHADER)
    (place / "a.bin").write_bytes(STREAM)
    with tgsi.Screen(threads=0) as screen:
        context = screen.context_create(trace=place / "a.trace")
        context.clear_texture(screen.resource_create(width0=8, height0=8), bytes(4))
        context.destroy()
    return place


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_pipe_ends_a_command_in_silence(command: str, folder: Path) -> None:
    tool, *arguments = command.split()
    read, write = os.pipe()
    os.close(read)
    try:
        run = [sys.executable, "-m", f"tgsi.tools.{tool}.cli", *arguments]
        done = subprocess.run(run, stdout=write, stderr=subprocess.PIPE, cwd=folder, env=os.environ | {"PYTHONPATH": ROOT}, check=False)
    finally:
        os.close(write)
    words = [line for line in done.stderr.decode().splitlines() if not line.startswith("tgsi-vtest: ")]
    assert words == []
    assert "Broken pipe" not in done.stderr.decode()


ROOT = str(Path(__file__).parents[2])
