"""The dispatcher of a validated context: grids run behind checks of what is bound to the compute stage."""

from __future__ import annotations

from typing import Any

from backends.device.grid import ComputeBindings, ComputeShader, Grid
from backends.device.interface import Dispatcher
from tgsi.language.program import Program
from tgsi.validation import programs
from tgsi.validation.findings import Finding
from tgsi.validation.warning import Reports


class ValidatedDispatcher:
    """The dispatcher of a context of ``Screen(validate=True)``. What is not checked is the dispatcher's own."""

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
        for item in programs.units(bindings.stage, shader):
            self.reports.say("launch_grid", item, place)
        self._dispatcher.launch(shader, program, bindings, grid)
