"""Texels of neighboring pixels from a few vectors: the words at the lanes' offsets, and pictures have the same bytes for every width."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.llvm.builder.function import I32, PTR, Function, Val
from backends.llvm.sampling.windows import windows_of
from tests.unit.llvm.support import evaluate
from tests.unit.llvm.test_rows import FRAGMENT, TWICE, VERTEX

MEMORY = np.arange(5000, 5000 + 512, dtype=np.int32)

MAPPINGS = {
    "magnified": [[0.31, 0.0], [0.0, 0.27]],
    "texel by texel": [[1.0, 0.0], [0.0, 1.0]],
    "nearly two texels a pixel": [[1.9, 0.0], [0.0, 1.7]],
    "mirrored": [[-0.6, 0.0], [0.0, 0.8]],
    "turned": [[0.6, 0.4], [-0.5, 0.7]],
    "one texel": [[0.0, 0.0], [0.0, 0.0]],
}


def _windows(f: Function, offsets: Val, row: int) -> Any:
    texture: Any = SimpleNamespace(key=SimpleNamespace(is_wide=False), row=row)
    return windows_of(f, texture, offsets)


@pytest.mark.parametrize(("lanes", "row"), [(8, 4), (16, 8), (32, 16)])
def test_words_of_windows_are_those_at_the_offsets_of_near_lanes(lanes: int, row: int) -> None:
    def body(f: Function, offsets: Val) -> Val:
        windows = _windows(f, offsets, row)
        left, right = windows.load(f.emit(PTR, f"inttoptr i64 {MEMORY.ctypes.data} to ptr"))
        return f.select(windows.are_near, left * 65536 + right, f.const(I32.wide(lanes), -1))

    def found(places: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.asarray(evaluate(body, (places * 4).astype(np.int32), type=I32, out=np.int32))

    first = np.arange(lanes) // row * 37 + 3
    step = np.arange(lanes) % row
    near = (first + step).astype(np.int32)
    assert np.array_equal(found(near), MEMORY[near] * 65536 + MEMORY[near + 1])
    assert (found((first + step * 3).astype(np.int32)) == -1).all()
    for lane in (1, lanes - 1):
        moved = near.copy()
        moved[lane] += 20
        assert (found(moved) == -1).all()


def _drawn(lanes: int | None, fragment: str, mapping: list[list[float]], sampler: dict[str, Any]) -> NDArray[np.uint8]:
    size = 40
    texels = np.random.default_rng(9).integers(0, 256, (size, size, 4), dtype=np.uint8)
    with tgsi.Screen(threads=0, lanes=lanes) as screen, screen.context_create() as ctx:
        target, texture = (screen.resource_create(width0=size, height0=size, bind=bind) for bind in ("RENDER_TARGET", "SAMPLER_VIEW"))
        ctx.texture_subdata(texture, texels)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (size / 2, size / 2, 0.5), "translate": (size / 2, size / 2, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(min_img_filter="LINEAR", mag_img_filter="LINEAR", **sampler)] * 2)
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)] * 2)
        corners = np.array([[-1, -1], [3, -1], [-1, 3]], np.float32)
        places = ((corners + 1) / 2 @ np.array(mapping) + 0.013).astype(np.float32)
        vertices = np.concatenate([corners, places], axis=1)
        buffer = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=vertices.nbytes, bind="VERTEX_BUFFER")
        ctx.buffer_subdata(buffer, vertices)
        ctx.set_vertex_buffers([{"buffer": buffer, "stride": 16}])
        elements = [{"src_offset": offset, "src_format": "R32G32_FLOAT"} for offset in (0, 8)]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state(elements))
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        found = np.empty_like(texels)
        ctx.texture_read(target, found)
        return found


@pytest.mark.parametrize("wrap", ["REPEAT", "CLAMP_TO_EDGE", "MIRROR_REPEAT"])
@pytest.mark.parametrize("fragment", [FRAGMENT, TWICE], ids=["once", "twice"])
@pytest.mark.parametrize("name", MAPPINGS)
def test_a_picture_has_the_bytes_of_narrow_vectors(name: str, fragment: str, wrap: str) -> None:
    mapping, sampler = MAPPINGS[name], {"wrap_s": wrap, "wrap_t": wrap}
    narrow = _drawn(8, fragment, mapping, sampler)
    assert narrow.std() > 0 or name == "one texel"
    for lanes in (16, 32):
        assert np.array_equal(_drawn(lanes, fragment, mapping, sampler), narrow), lanes
