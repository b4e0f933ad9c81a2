"""The dispatcher of a validated context: grids run behind checks of what is bound to the compute stage."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from backends.device.grid import ComputeBindings, ComputeShader, Grid
from backends.device.interface import Dispatcher
from tgsi.language.facts.enums import File, MemoryType
from tgsi.language.facts.traits import Trait
from tgsi.language.printer import print_instruction
from tgsi.language.program import Program
from tgsi.validation import programs
from tgsi.validation.findings import Finding
from tgsi.validation.warning import Reports


class ValidatedDispatcher:
    """The dispatcher of a context of ``Screen(validate=True)``. All but `launch` goes to the dispatcher that runs grids."""

    def __init__(self, dispatcher: Dispatcher, reports: Reports) -> None:
        """reports: of the context's device."""
        self._dispatcher, self.reports = dispatcher, reports

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dispatcher, name)

    def launch(self, shader: ComputeShader, program: Program, bindings: ComputeBindings, grid: Grid) -> None:
        """Check a grid, and run it."""
        place = self.reports.place()
        if not grid.blocks:
            self.reports.say("launch_grid", Finding("grid", grid.grid, f"the grid {grid.grid} has no block, so nothing runs"), place)
        for item in (*programs.units(bindings.stage, shader), *programs.constants(bindings.stage, shader), *races(shader, grid)):
            self.reports.say("launch_grid", item, place)
        self._dispatcher.launch(shader, program, bindings, grid)


def races(shader: ComputeShader, grid: Grid) -> Iterator[Finding]:
    """SHARED memory that a thread reads where another one has written, without a barrier between them."""
    items = shader.program.instructions
    if math.prod(grid.block) <= 1 or any(Trait.BARRIER in item.opcode.traits for item in items):
        return
    private = {
        k for d in shader.program.declared(File.MEMORY) if d.memory not in (None, MemoryType.SHARED) for k in range(d.first, d.last + 1)
    }
    stores, loads = set(), []
    for item in items:
        traits = item.opcode.traits
        if Trait.ATOMIC in traits or not traits & {Trait.STORE, Trait.LOAD}:
            continue
        register, address = (item.dst[0].register, item.src[0]) if Trait.STORE in traits else (item.src[0].register, item.src[1])
        if register.file is not File.MEMORY or register.index in private:
            continue
        place = register.index, address.register, address.swizzle[0]
        if Trait.STORE in traits:
            stores.add(place)
        else:
            loads.append((place, item))
    for place, item in loads:
        if stores and place not in stores:
            line = print_instruction(item)
            text = f"the compute shader reads SHARED memory that other threads write, without a BARRIER (barrier()) before: {line}"
            yield Finding("race", shader.serial, text)
            return
