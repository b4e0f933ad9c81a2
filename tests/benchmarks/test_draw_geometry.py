"""Ranges, states and meshes of the workloads that make many small draws."""

from __future__ import annotations

import numpy as np

from benchmarks import draw_geometry
from benchmarks.catalog import DRAWS, MESHES


def test_meshes_have_20_to_60_triangles_and_lie_one_after_the_other() -> None:
    meshes = draw_geometry.meshes()
    counts = np.array(meshes.counts)
    assert len(counts) == len(meshes.uniforms) == MESHES
    assert set(counts // 3) == set(range(20, 61))
    assert (np.cumsum(counts) == [*meshes.starts[1:], meshes.indices.size]).all()


def test_every_mesh_uses_its_own_vertices_only() -> None:
    meshes = draw_geometry.meshes()
    low, high = (f.reduceat(meshes.indices, meshes.starts).astype(int) for f in (np.minimum, np.maximum))
    assert (high - low == np.array(meshes.counts) // 3).all()
    assert (low[1:] == high[:-1] + 1).all()
    assert high[-1] == len(meshes.vertices) - 1


def test_no_two_meshes_are_alike() -> None:
    meshes = draw_geometry.meshes()
    assert len({meshes.vertices[meshes.indices[start + 1]].tobytes() for start in meshes.starts}) > 0.99 * MESHES


def test_strips_are_separated_by_one_restart() -> None:
    vertices, indices = draw_geometry.strips()
    rows = indices.reshape(DRAWS, draw_geometry.STRIPS)
    assert (np.flatnonzero(rows[7] == draw_geometry.RESTART) == [4]).all()
    assert np.delete(rows, 4, 1).max() == len(vertices) - 1


def test_the_eight_combinations_differ() -> None:
    assert len({(c.blend, c.depth, c.cull, c.textured, c.texture) for c in draw_geometry.COMBINATIONS}) == 8
