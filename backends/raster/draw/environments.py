"""Environments (ShaderEnv) of a draw's shaders, and copies of them for repeated draws in which only constants have changed.

Copies are made ahead, many at a time. A repeated draw takes the next copy and writes the addresses of its constants, or takes the last
copy again if no constants have changed. Copies lie in a frame's memory and end with it.
"""

from __future__ import annotations

import ctypes
import struct

import numpy as np

from backends.abi.records import ShaderEnv
from backends.device.bound import DrawState, StageState
from backends.device.environment import make_environment, place_constants
from backends.device.memory import Constants, Memory
from backends.device.needs import ShaderNeeds, needs_of
from backends.device.region import ALIGNMENT, Region
from backends.device.tables import BufferTable
from backends.raster.draw.packet import Packet
from backends.raster.draw.sample_state import tell_samples

_MOST = 256  # copies made at once
_STRIDE = ctypes.sizeof(ShaderEnv) + ALIGNMENT - 1 & -ALIGNMENT
_CONSTANTS, _WORDS = ShaderEnv.constants.offset, ShaderEnv.constant_words.offset
_ADDRESS, _COUNT = struct.Struct("Q"), struct.Struct("i")


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
        samples: a pixel of the targets.
        reads: takes the memory of textures, which is read when the draw runs.
        counters: with these, shaders reach memory (see `make_environment`).
        needs: of both shaders, if the caller knows them.
        is_stored: other stages have shaded the vertices, so the first address is 0.
    """
    vertex_needs, fragment_needs = needs or (needs_of(state.vertex.shader), needs_of(state.fragment.shader))
    vertex = 0 if is_stored else make_environment(region, vertex_needs, state.vertex, reads, counters)
    fragment = make_environment(region, fragment_needs, state.fragment, reads, counters)
    if samples > 1:
        tell_samples(fragment, samples)
    return vertex, fragment


class _Environments:
    """Copies of one stage's environment."""

    def __init__(self, region: Region, bindings: StageState, address: int) -> None:
        demand = needs_of(bindings.shader)
        self._region, self._bindings, self._slots, self._address = region, bindings, demand.constants, address
        self._template = np.ctypeslib.as_array((ctypes.c_uint8 * ctypes.sizeof(ShaderEnv)).from_address(address)).copy()
        self.has_constants = bool(demand.constants)
        self.units = (list(bindings.views), list(bindings.samplers)) if demand.units else None
        self._memory: list[Memory | Constants | None] = []  # constants in the slots of the last copy
        self._row = self._rows = self._base = 0
        self._view = memoryview(b"")

    def has_units(self) -> bool:
        """True if the views and samplers that the shader reads are still bound."""
        return self.units is None or self.units == (self._bindings.views, self._bindings.samplers)

    def take(self) -> int:
        """Address of an environment with the constants that are bound now."""
        bound, last = self._bindings.constants, self._memory
        if len(last) == len(self._slots):
            for before, (slot, _, _) in zip(last, self._slots):
                found = bound[slot] if slot < len(bound) else None
                if found is not before or type(found) is Memory:  # the bytes of a Memory may have changed
                    break
            else:
                return self._address
        if self._row == self._rows:
            self._make()
        at, view = self._row * _STRIDE, self._view
        self._row += 1
        self._memory = last = []
        for slot, declared, is_whole in self._slots:
            memory = bound[slot] if slot < len(bound) else None
            last.append(memory)
            address, words = place_constants(self._region, memory, declared, is_whole)
            _ADDRESS.pack_into(view, at + _CONSTANTS + 8 * slot, address)
            _COUNT.pack_into(view, at + _WORDS + 4 * slot, words)
        self._address = self._base + at
        return self._address

    def _make(self) -> None:
        """Make more copies: twice as many as the last time, up to `_MOST`."""
        self._rows = min(max(2 * self._rows, 4), _MOST)
        self._row, self._base = 0, self._region.allocate(self._rows * _STRIDE)
        memory = (ctypes.c_uint8 * (self._rows * _STRIDE)).from_address(self._base)
        self._view = memoryview(memory).cast("B")
        np.ctypeslib.as_array(memory).reshape(self._rows, _STRIDE)[:, : len(self._template)] = self._template


class Copies:
    """Copies of the environments of a packet, whose draw had the bindings of `state`.

    Attributes:
        packet: the draw.
        is_sampled: its shaders read views and samplers.
    """

    def __init__(self, region: Region, state: DrawState, packet: Packet) -> None:
        self.packet = packet
        bound = (state.vertex, state.fragment)
        self._stages = [_Environments(region, stage, address) for stage, address in zip(bound, packet.environments)]
        self._addresses = packet.environments
        self._takes = [stage.take if stage.has_constants else None for stage in self._stages]
        self.is_sampled = any(stage.units is not None for stage in self._stages)

    def has_units(self) -> bool:
        """True if the views and samplers that the shaders read are still bound."""
        return all(stage.has_units() for stage in self._stages)

    def take(self) -> tuple[int, int]:
        """Addresses of environments with the constants that are bound now."""
        vertex, fragment = self._addresses
        take_vertex, take_fragment = self._takes
        return take_vertex() if take_vertex else vertex, take_fragment() if take_fragment else fragment
