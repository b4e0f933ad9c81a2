"""Environments (ShaderEnv) of the shaders of a draw."""

from __future__ import annotations

from backends.device.bound import DrawState
from backends.device.environment import make_environment
from backends.device.needs import ShaderNeeds, needs_of
from backends.device.region import Region
from backends.device.tables import BufferTable
from backends.raster.draw.sample_state import write_sample_positions


def make_environments(
    region: Region,
    state: DrawState,
    samples: int,
    reads: list[tuple[int, int]],
    counters: BufferTable | None = None,
    *,
    needs: tuple[ShaderNeeds, ShaderNeeds] | None = None,
    is_stored: bool = False,
) -> tuple[int, int]:
    """Addresses of a ShaderEnv for the vertex and for the fragment shader.

    Arguments:
        samples: number of samples of a pixel.
        reads: takes the memory of textures, which is read when the draw runs.
        counters: with these, shaders reach memory (see `make_environment`).
        needs: of both shaders, if the caller has them.
        is_stored: other stages have shaded the vertices, so the first address is 0.
    """
    vertex_needs, fragment_needs = needs or (needs_of(state.vertex.shader), needs_of(state.fragment.shader))
    vertex = 0 if is_stored else make_environment(region, vertex_needs, state.vertex, reads, counters)
    fragment = make_environment(region, fragment_needs, state.fragment, reads, counters)
    if samples > 1 or state.sample_locations is not None:
        region.keep(write_sample_positions(fragment, samples, state.sample_locations))
    return vertex, fragment
