"""Scenes of glmark2 as a side of the comparison: each round is one run of the program, off-screen, under an X server of its own."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from benchmarks.processes import SideDied, SideFailed, processor_time

_BUFFER = "buffer:columns=200:update-dispersion=0.9:update-fraction=0.5"
SCENES: dict[str, str] = {
    "build": "build:use-vbo=false",
    "build-vbo": "build:use-vbo=true",
    "texture-nearest": "texture:texture-filter=nearest",
    "texture-linear": "texture:texture-filter=linear",
    "texture-mipmap": "texture:texture-filter=mipmap",
    "shading-gouraud": "shading:shading=gouraud",
    "shading-blinn-phong": "shading:shading=blinn-phong-inf",
    "shading-phong": "shading:shading=phong",
    "shading-cel": "shading:shading=cel",
    "bump-high-poly": "bump:bump-render=high-poly",
    "bump-normals": "bump:bump-render=normals",
    "bump-height": "bump:bump-render=height",
    "effect2d-edges": "effect2d:kernel=0,1,0;1,-4,1;0,1,0;",
    "effect2d-blur": "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;",
    "pulsar": "pulsar:light=false:quads=5:texture=false",
    "desktop-blur": "desktop:blur-radius=5:effect=blur:passes=1:separable=true:windows=4",
    "desktop-shadow": "desktop:effect=shadow:windows=4",
    "buffer-map": f"{_BUFFER}:interleave=false:update-method=map",
    "buffer-subdata": f"{_BUFFER}:interleave=false:update-method=subdata",
    "buffer-interleaved": f"{_BUFFER}:interleave=true:update-method=map",
    "ideas": "ideas:speed=duration",
    "jellyfish": "jellyfish",
    "terrain": "terrain",
    "shadow": "shadow",
    "refract": "refract",
    "conditionals": "conditionals:fragment-steps=0:vertex-steps=0",
    "conditionals-frag": "conditionals:fragment-steps=5:vertex-steps=0",
    "conditionals-vert": "conditionals:fragment-steps=0:vertex-steps=5",
    "function-low": "function:fragment-complexity=low:fragment-steps=5",
    "function-medium": "function:fragment-complexity=medium:fragment-steps=5",
    "loop-fixed": "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5",
    "loop-constant": "loop:fragment-steps=5:fragment-uniform=false:vertex-steps=5",
    "loop-uniform": "loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5",
}
"""The runs that glmark2 makes by default, by the names that the table gives them."""

SAMPLING = 0.1  # seconds from one look at the processor time to the next
PATIENCE = 120.0  # seconds beyond the length of a run
_TIME = re.compile(r"FrameTime: ([\d.]+) ms")


class Display:
    """X server without a screen that listens on a unix socket only."""

    def __init__(self, size: str) -> None:
        read, write = os.pipe()
        command = ["Xvfb", "-displayfd", str(write), "-nolisten", "tcp", "-noreset", "-screen", "0", f"{size}x24"]
        self._process = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as numbers:
            self.name = f":{numbers.readline().strip()}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait()


def seconds_a_frame(output: str) -> float:
    """Seconds of a frame as glmark2 reports them. Raises SideFailed with the end of its output if it reports none."""
    found = _TIME.search(output)
    if found is None or float(found[1]) <= 0:
        raise SideFailed(f"glmark2 gave no time: {' / '.join(output.strip().splitlines()[-3:])}")
    return float(found[1]) / 1e3


def processors_busy(used: Sequence[tuple[float, float]], seconds: float) -> float:
    """Mean number of busy processors in the latter half of a run of a scene: the beginning is loading and compiling.

    used: pairs of time and processor time, to the end of the run. seconds: for which the scene was shown.
    """
    if len(used) < 2:
        return 0.0
    late = [pair for pair in used if pair[0] >= used[-1][0] - seconds / 2]
    first, last = (late if len(late) > 1 else used)[0], used[-1]
    return (last[1] - first[1]) / (last[0] - first[0])


class Glmark:
    """Side that runs a scene of glmark2 for each round.

    Args:
        name: of the side.
        prefix: words of a command that runs another command, through which glmark2 reaches its server.
        environment: variables of glmark2, in addition to those of this process.
        size: WIDTHxHEIGHT of a frame.
        cpu: seconds of processor time that the server has taken so far.
    """

    def __init__(self, name: str, prefix: Sequence[str], environment: Mapping[str, str], *, size: str, cpu: Callable[[], float]) -> None:
        self.name = name
        self._prefix, self._environment, self._size, self._cpu = [*prefix], {**os.environ, **environment}, size, cpu
        self._scene = ""

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Answer a message as `benchmarks.serve` does. Pictures are checked by glmark2 itself, when a scene is prepared.

        Raises:
            SideFailed: glmark2 reports a wrong picture, or no time.
            SideDied: glmark2 does not end.
        """
        if do == "prepare":
            self._scene = SCENES[fields["name"]]
            if "Validation: Failure" in self._run("--validate", "-b", self._scene):
                raise SideFailed("glmark2 finds the picture wrong")
            return {"first": seconds_a_frame(self._run("-b", f"{self._scene}:duration=0.5"))}
        if do == "round":
            used: list[tuple[float, float]] = []
            seconds = seconds_a_frame(self._run("-b", f"{self._scene}:duration={fields['budget']:.2f}", used=used))
            return {"wall": [seconds], "cpu": [processors_busy(used, fields["budget"]) * seconds]}
        return {}

    def _run(self, *arguments: str, used: list[tuple[float, float]] | None = None) -> str:
        """Output of a run. `used` gets pairs of time and processor time of glmark2 and the server."""
        command = [*self._prefix, "glmark2", "--off-screen", "--size", self._size, *arguments]
        process = subprocess.Popen(command, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return process.communicate(timeout=SAMPLING)[0]
            except subprocess.TimeoutExpired:
                if used is not None:
                    used.append((time.monotonic(), self._cpu() + processor_time(process.pid)))
            if time.monotonic() > end:
                process.kill()
                process.communicate()
                raise SideDied(f"{self.name}: glmark2 was silent for {PATIENCE:.0f} seconds")
