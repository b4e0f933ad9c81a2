"""The content of a page: a trace is played twice, for its pictures, then for what its draws cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backends.abi.limits import TILE
from backends.device.calls.errors import RecordingError
from backends.gallium.tracing.steps import DRAWS, Step
from tgsi.insight.drawn_kernels import DrawnKernels
from tgsi.tools.inspect.counting import MOST_TILES, DrawCounter
from tgsi.tools.inspect.explained import explained
from tgsi.tools.inspect.pictures import Images, Pictures
from tgsi.tools.inspect.pixels import PixelTexts
from tgsi.tools.inspect.resources import names_of, resource_rows
from tgsi.tools.inspect.shaders import ORDER, Shaders, kernels_as_data, stage_of
from tgsi.tools.inspect.states import StateTracker
from tgsi.tools.inspect.texts import fields_of
from tgsi.tools.replay.played import PlayedTrace

if TYPE_CHECKING:
    from tgsi.gallium import Screen

Pixel = tuple[int, int]
MOST_DRAWS = 20_000


class Collector:
    """Plays a trace and keeps what the page needs."""

    def __init__(self, screen: Screen, steps: Sequence[Step], pixels: Sequence[Pixel]) -> None:
        self._screen, self._steps = screen, steps
        self._names = names_of(list(steps))
        self._draws = [k for k, step in enumerate(steps) if step.name in DRAWS][:MOST_DRAWS]
        self._wanted, self._kernels = pixels, DrawnKernels(screen)
        self._begin(1)

    def _begin(self, coarseness: int) -> None:
        self._images, self._shaders = Images(), Shaders()
        self._pictures = Pictures(self._images, len(self._draws), coarseness)
        self._pixels = PixelTexts(self._wanted)
        self._notes: list[str] = []
        self._rows: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """The content as plain data."""
        coarseness = 1
        while (resources := self._play_pictures()) is None:
            coarseness *= 2
            self._begin(coarseness)
        overdraw = self._play_costs()
        for k, pixel in enumerate(self._pixels.pixels):
            self._pixels.explain(k, explained(self._screen, self._steps, pixel, self._touching(pixel)))
        return {
            "draws": self._rows,
            "resources": resources,
            "overdraw": overdraw,
            "pixels": self._pixels.as_data(),
            "images": self._images.data,
            "tile": TILE,
            "notes": self._notes,
            "calls": len(self._steps),
            "kernels": kernels_as_data(self._kernels.listed),
            **self._shaders.as_data(),
        }

    def name(self, handle: int) -> str:
        """The name of an object."""
        return self._names.get(handle, f"#{handle}")

    def _touching(self, pixel: Pixel) -> set[int]:
        """Numbers of the draws whose fragments are in the pixel's tile, or were not counted."""
        numbers = set()
        for row in self._rows:
            cost = row.get("cost", {})
            columns = cost.get("columns")
            tile = None if columns is None else pixel[1] // TILE * columns + pixel[0] // TILE
            if tile is None or len(cost["tiles"]) >= MOST_TILES or any(number == tile for number, _ in cost["tiles"]):
                numbers.add(row["number"])
        return numbers

    def _play_pictures(self) -> list[dict[str, Any]] | None:
        """Calls, state and pictures of all draws. Returns the resources at the end; None: the pictures should be coarser."""
        state, at = StateTracker(self.name), 0
        with PlayedTrace(self._screen, self._steps) as trace:
            try:
                for number in self._draws:
                    for step in self._steps[at:number]:
                        self._note(step, state)
                    at = number
                    trace.play(number + 1)
                    self._rows.append(self._row(len(self._rows) + 1, self._steps[number], state))
                    targets = [target for target in trace.targets() if target.handle]
                    colors = [target for target in targets if target.name != "zs"] or targets
                    self._rows[-1]["pictures"] = [found for found in map(self._pictures.take, colors) if found is not None]
                    self._rows[-1]["shown"] = [f"{item.handle}.{item.level}.{item.layers[0]}" for item in colors]
                    self._pixels.take(len(self._rows), targets)
                    self._pictures.next_draw()
                    if self._pictures.is_crowded:
                        return None
                trace.play(len(self._steps))
            except RecordingError as error:
                self._notes.append(f"The trace could not be played to its end: {error}")
            return resource_rows(trace, self._images)

    def _note(self, step: Step, state: StateTracker) -> None:
        state.note(step)
        stage = stage_of(step.name)
        if stage and step.call is not None and step.call.result:
            self._shaders.create(step.call.result, stage, next(iter(step.named.values()), ""))

    def _row(self, number: int, step: Step, state: StateTracker) -> dict[str, Any]:
        row: dict[str, Any] = {
            "number": number,
            "command": step.number,
            "call": step.name,
            "arguments": fields_of(step.named, self.name),
            "state": state.changes(),
            "shaders": [],
        }
        if step.name.startswith("draw"):
            row["shaders"] = [state.handles[stage] for stage in ORDER if stage in state.handles]
            row["link"] = self._shaders.draw(row["shaders"])
        elif step.name == "launch_grid" and "compute" in state.handles:
            row["shaders"] = [state.handles["compute"]]
        return row

    def _play_costs(self) -> list[dict[str, Any]]:
        """Costs of all draws that were played; the overdraw of each size of targets as a picture."""
        state, at = StateTracker(self.name), 0
        with PlayedTrace(self._screen, self._steps) as trace:
            counter = DrawCounter(trace, state)
            try:
                for row, number in zip(self._rows, self._draws):
                    for step in self._steps[at:number]:
                        state.note(step)
                        counter.note(step)
                    at = number
                    known = [self._shaders.of[handle] for handle in row["shaders"] if handle in self._shaders.of]
                    trace.play(number)
                    if row["call"].startswith("draw") or row["call"] == "launch_grid":
                        row["kernels"] = self._kernels.of_call(trace.context, row["call"], self._steps[number].named, trace.find)
                    row["cost"] = counter.play(number, any(shader.writes_memory for shader in known))
            except RecordingError as error:
                self._notes.append(f"Costs could not be counted to the end: {error}")
            for reason, count in counter.reasons.items():
                self._notes.append(f"Fragments by tile are missing for {count} draws: {reason}.")
            return [self._heat(size, counts) for size, counts in counter.overdraw.items()]

    def _heat(self, size: Pixel, counts: Any) -> dict[str, Any]:
        most = int(counts.max())
        factor = self._pictures.factor_of(*size)
        gray = np.rint(counts[::factor, ::factor] * (255.0 / max(1, most))).astype(np.uint8)
        return {
            "width": gray.shape[1],
            "height": gray.shape[0],
            "scale": factor,
            "most": most,
            "average": round(float(counts.mean()), 3),
            "image": self._images.add(gray),
        }
