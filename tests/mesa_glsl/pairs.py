"""A program of GLSL twice: as Mesa's own TGSI, recorded through our server, and as our reader makes it of glslang's SPIR-V."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import tgsi
from tests.mesa_glsl.programs import MARK, Shader
from tgsi.language.program import Program

CLIENT = Path(__file__).with_name("client.py")


@dataclass(frozen=True)
class Pair:
    """Two programs that must give the same results."""

    shader: Shader
    mesa: Program
    ours: Program


class MesaMissingError(Exception):
    """A reason why Mesa's TGSI cannot be had."""


def recorded(shaders: Sequence[Shader]) -> Mapping[int, str]:
    """Mesa's TGSI of programs by seed. MesaMissingError: there is no Mesa with virpipe, or no client."""
    if find_spec("moderngl") is None:
        raise MesaMissingError("moderngl is not installed")
    with tempfile.TemporaryDirectory(prefix="tgsi-mesa-") as name:
        folder = Path(name)
        (folder / "texts.json").write_text(json.dumps([[one.stage, one.text] for one in shaders]), "utf-8")
        command = [sys.executable, "-m", "tgsi.tools.vtest.cli", "run", "--dump-shaders", folder / "dump", "--"]
        command += [sys.executable, CLIENT, folder / "texts.json"]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        answer = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
        if done.returncode or answer is None:
            raise MesaMissingError(f"Mesa's virpipe cannot be used: {(done.stderr or done.stdout).strip()[-400:]}")
        found: dict[int, str] = {}
        for file in sorted((folder / "dump").rglob("*.tgsi")):
            text = file.read_text("latin-1")
            for word in map(int, re.findall(rf"\b{str(MARK)[:4]}\d{{{len(str(MARK)) - 4}}}\b", text)):
                found.setdefault(word - MARK, text)
        for number, why in json.loads(answer).items():
            raise AssertionError(f"seed {shaders[int(number)].seed}: Mesa refuses a program of the generator: {why}")
    return found


def pairs(shaders: Sequence[Shader]) -> list[Pair]:
    """Both programs of each text."""
    known = recorded(shaders)
    return [Pair(one, tgsi.parse(known[one.seed]), tgsi.compile(one.text, stage=one.stage)) for one in shaders]
