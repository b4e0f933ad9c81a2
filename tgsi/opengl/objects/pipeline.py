"""Program pipeline objects: stages of several separable programs. (OpenGL 4.6 core, 7.4)"""

from __future__ import annotations

from tgsi.opengl.objects.combined import Combined
from tgsi.opengl.objects.linked import Linked
from tgsi.opengl.objects.program import Program


class Pipeline:
    """A program pipeline. `active` is the program for glUniform while no program is in use."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.stages: dict[int, Program] = {}
        self.active: Program | None = None
        self.is_valid = False
        self.log = ""
        self.label = ""
        self._key: tuple[tuple[int, Linked], ...] = ()
        self._combined: Combined | None = None

    def linked(self) -> Linked | None:
        """The combined stages of the last successful links; None without stages."""
        key = tuple(
            (stage, item.linked) for stage, item in self.stages.items() if item.linked is not None and stage in item.linked.programs
        )
        if key != self._key:
            by_program: dict[Linked, list[int]] = {}
            for stage, linked in key:
                by_program.setdefault(linked, []).append(stage)
            self._key, self._combined = key, Combined(list(by_program.items())) if key else None
        return self._combined

    def check(self) -> str:
        """The reason why the pipeline cannot draw, or empty. (OpenGL 4.6 core, 11.1.3.11)"""
        for program in set(self.stages.values()):
            if program.linked is None:
                return f"program {program.name} is not linked"
            if not program.linked.is_separable:
                return f"program {program.name} was not linked as separable"
            left_out = [stage for stage in program.linked.programs if self.stages.get(stage) is not program]
            if left_out:
                return f"program {program.name} has stages that the pipeline takes from elsewhere"
        return "" if self.stages else "the pipeline has no stages"
