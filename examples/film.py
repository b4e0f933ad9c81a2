"""A film drawn by several processes, or by the workers of a Dask cluster; every frame has the same bytes wherever it is drawn.

python examples/film.py                     # processes of this machine
python examples/film.py --dask              # a LocalCluster of Dask; pip install dask distributed
python examples/film.py --scheduler tcp://host:8786
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import tgsi

SIZE = 128
VERTEX = """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END"""


def draw(turn: float) -> Any:
    """The picture of a triangle after a part of a turn, (128, 128, 4) of uint8. Workers import this function."""
    angles = 2 * np.pi * (turn + np.arange(3) / 3)
    vertices = np.zeros((3, 8), np.float32)
    vertices[:, 0], vertices[:, 1], vertices[:, 3] = 0.9 * np.cos(angles), 0.9 * np.sin(angles), 1
    vertices[:, 4:] = [[1, 0.2, 0.2, 1], [0.2, 1, 0.2, 1], [0.2, 0.2, 1, 1]]
    with tgsi.Screen(validate=True) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R8G8B8A8_UNORM", width0=SIZE, height0=SIZE)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (SIZE / 2, -SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}])
        ctx.clear("COLOR", color=(0.05, 0.05, 0.1, 1))
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]))
        ctx.set_vertex_buffers([vertices])
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        return target.pixels()


@contextmanager
def executor(dask: bool, scheduler: str | None) -> Iterator[Any]:
    """The executor of a cluster; None for processes of this machine."""
    if not dask and scheduler is None:
        yield None
        return
    from distributed import Client, LocalCluster

    with Client(scheduler or LocalCluster(threads_per_worker=1, dashboard_address=None)) as client:
        yield client.get_executor()


def film(count: int, workers: Any = None) -> list[Any]:
    """The frames of one turn."""
    return list(tgsi.frames(draw, [k / count for k in range(count)], workers))


def main() -> None:
    """Write a film as film.gif."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("out"), help="directory for film.gif")
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--dask", action="store_true", help="draw with the workers of a LocalCluster")
    parser.add_argument("--scheduler", help="address of the scheduler of a Dask cluster")
    given = parser.parse_args()
    with executor(given.dask, given.scheduler) as workers:
        first, *others = (Image.fromarray(picture[..., :3]) for picture in film(given.frames, workers))
    given.output.mkdir(parents=True, exist_ok=True)
    first.save(given.output / "film.gif", save_all=True, append_images=others, duration=1000 // 24, loop=0)
    print(given.output / "film.gif")


if __name__ == "__main__":
    main()
