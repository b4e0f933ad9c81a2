"""Clip planes and clip distances as instructions: lower-clip-planes, lower-clip-distances."""

from __future__ import annotations

from dataclasses import replace

from passes.base import Pass
from passes.lower.insert import insert
from passes.lower.state.additions import (
    Additions,
    declaration_of,
    ends,
    of,
    op,
    prologue,
    redirect,
    register_of,
    with_property,
)
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File, Interpolation, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import STAGES
from tgsi.language.ir import Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_CLIPS, _CULLS = "NUM_CLIPDIST_ENABLED", "NUM_CULLDIST_ENABLED"
MAX_PLANES = 8
"""User clip planes, and clip distances."""


@record(slots=False)
class LowerClipPlanes(Pass):
    """Write clip distances from user clip planes in constants, and keep CLIPVERTEX out of the outputs.

    `planes` is a mask, as clip_plane_enable. At each end of the last stage before the rasterizer (before each EMIT of a geometry program),
    scalar k of CLIPDIST becomes DP4(vertex, plane k) for each bit k. The vertex is CLIPVERTEX if the program writes it, otherwise
    POSITION; plane k is CONST[buffer][constant + k], and -1 means the first constant after the declared ones. Scalars below the highest
    plane that belong to no plane become 0, which is inside. NUM_CLIPDIST_ENABLED becomes the number of scalars. Keep the enable bits of
    the state set: they also select distances.

    As under the state, planes have no effect in programs that write clip distances themselves, with VS_PROHIBIT_UCPS, or with
    VS_WINDOW_SPACE_POSITION. A CLIPVERTEX output becomes a TEMP in every case; `planes` 0 does that alone. In programs with
    MUL_ZERO_WINS 0 times an infinity is 0, and NaN under the state. Programs of other stages stay unchanged.
    """

    name = "lower-clip-planes"
    planes: int = 0
    constant: int = -1
    buffer: int = 0

    def __post_init__(self) -> None:
        """Check `planes`.

        Raises:
            ValueError: `planes` has more than eight bits.
        """
        if not 0 <= self.planes < 1 << MAX_PLANES:
            raise ValueError(f"pass {self.name}: planes: {self.planes} is not a mask of {MAX_PLANES} planes")

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: the program has cull distances and no clip distances, is a mesh program, or indexes CLIPVERTEX by an address.
        """
        stage = STAGES[program.processor]
        if not stage.feeds_rasterizer:
            return program
        has_planes = self.planes and not writes_distances(program)
        has_planes = has_planes and not program.property("VS_PROHIBIT_UCPS") and not program.property("VS_WINDOW_SPACE_POSITION")
        written = register_of(program, File.OUT, Semantic("CLIPVERTEX"))
        if not has_planes and written is None:
            return program
        if stage.is_mesh:
            raise UnsupportedError.at("B001", "a mesh program has no place where the distances of all its vertices could be written")
        if has_planes and program.property(_CULLS):
            raise UnsupportedError.at("K039", "cull distances come after clip distances, and the program has cull distances alone")
        more = Additions(program)
        vertex = register_of(program, File.OUT, Semantic("POSITION"))
        if written is not None:
            vertex = more.temp()
            program = _without_clip_vertex(more, redirect(program, {(File.OUT, written.index): vertex}))
        if not has_planes:
            return more.finish(program)
        source = more.number(0.0, 0.0, 0.0, 1.0) if vertex is None else of(vertex)
        lowered = more.finish(insert(program, dict.fromkeys(ends(program), self._distances(more, source))))
        return with_property(lowered, _CLIPS, self.planes.bit_length())

    def _distances(self, more: Additions, vertex: SrcOperand) -> list[Instruction]:
        count = self.planes.bit_length()
        planes = more.constants(self.constant, count, self.buffer)
        code: list[Instruction] = []
        for first in range(0, count, 4):
            out = more.output(Semantic("CLIPDIST", first // 4))
            used = self.planes >> first & 15
            if used != 15:
                code.append(op("MOV", out, more.number(0.0), mask=15 & ~used))
            code += [op("DP4", out, vertex, of(planes[first + k]), mask=1 << k) for k in range(4) if used >> k & 1]
        return code


def writes_distances(program: Program) -> int:
    """Return the number of clip distances that a program writes: the first scalars of CLIPDIST."""
    clips, culls = program.property(_CLIPS), program.property(_CULLS)
    if clips or culls:
        return min(max(clips, 0), MAX_PLANES)
    registers = [register_of(program, File.OUT, Semantic("CLIPDIST", k)) for k in range(2)]
    return 4 * sum(register is not None for register in registers)


def _without_clip_vertex(more: Additions, program: Program) -> Program:
    item = declaration_of(more.declarations, File.OUT, Semantic("CLIPVERTEX"))
    assert item is not None
    if item.first != item.last:
        raise UnsupportedError.at("K039", "CLIPVERTEX stands in a range with other outputs", item.span, hint="declare it alone")
    more.declarations.remove(item)
    return program


@record(slots=False)
class LowerClipDistances(Pass):
    """Carry clip distances to the fragment program in GENERIC outputs, and kill fragments where one is below 0.

    `distances` is a mask of the scalars that clip, as clip_plane_enable. In the last stage before the rasterizer CLIPDIST[k] becomes
    GENERIC[generic + k], and NUM_CLIPDIST_ENABLED goes. A fragment program gets these as PERSPECTIVE inputs, which vary as clipping cuts
    them. Before anything else runs it kills fragments for which a distance is not 0 or more; a NaN kills, too. Both programs of a pair
    need the pass with the same options, and `generic` must be free in both.

    The edge is cut where the interpolated distance changes its sign, pixel by pixel, and not along a new edge of the polygon, whose
    corners are rounded to 1/256 pixel. Pixels whose center is within 1/128 pixel of the edge may differ. Points and lines are cut
    pixel by pixel, too, where clipping drops points as a whole.
    """

    name = "lower-clip-distances"
    distances: int = 0
    generic: int = 0

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            ValueError: `distances` has more than eight bits, or `generic` is negative.
        """
        if not 0 <= self.distances < 1 << MAX_PLANES:
            raise ValueError(f"pass {self.name}: distances: {self.distances} is not a mask of {MAX_PLANES} distances")
        if self.generic < 0:
            raise ValueError(f"pass {self.name}: generic: {self.generic} is negative")

    def run(self, program: Program) -> Program:
        """See `Pass.run`.

        Raises:
            UnsupportedError: a program writes cull distances, or GENERIC[generic] is taken.
        """
        if not self.distances:
            return program
        if program.processor is Processor.FRAG:
            return self._kill(program)
        return self._carry(program) if STAGES[program.processor].feeds_rasterizer else program

    def _names(self) -> list[tuple[Semantic, Semantic]]:
        return [(Semantic("CLIPDIST", k), Semantic("GENERIC", self.generic + k)) for k in range(2) if self.distances >> 4 * k & 15]

    def _carry(self, program: Program) -> Program:
        if not writes_distances(program):
            return program
        if program.property(_CULLS):
            raise UnsupportedError.at("K039", "cull distances drop whole primitives, which no fragment program can do")
        more = Additions(program)
        for old, new in self._names():
            self._check_free(program, File.OUT, new)
            self._rename(more, File.OUT, old)
        return with_property(more.finish(program), _CLIPS, 0)

    def _rename(self, more: Additions, file: File, old: Semantic) -> None:
        """Give the registers of a distance their other name: a range of both keeps its numbers."""
        item = declaration_of(more.declarations, file, old)
        if item is not None and item.semantic is not None:
            place = more.declarations.index(item)
            more.declarations[place] = replace(item, semantic=Semantic("GENERIC", self.generic + item.semantic.index))

    def _kill(self, program: Program) -> Program:
        more = Additions(program)
        code: list[Instruction] = []
        outside = more.temp()
        for old, new in self._names():
            self._check_free(program, File.IN, new)
            self._rename(more, File.IN, old)
            register = more.input(new, Interpolation.PERSPECTIVE)
            used = self.distances >> 4 * (new.index - self.generic) & 15
            last = max(k for k in range(4) if used >> k & 1)
            swizzle = [k if used >> k & 1 else last for k in range(4)]
            inside = op("SGE", outside, of(register, (swizzle[0], swizzle[1], swizzle[2], swizzle[3])), more.number(0.0))
            code += [inside, op("ADD", outside, of(outside), more.number(-1.0)), op("KILL_IF", None, of(outside))]
        return more.finish(prologue(program, code))

    def _check_free(self, program: Program, file: File, semantic: Semantic) -> None:
        item = declaration_of(program.declarations, file, semantic)
        if item is not None:
            raise UnsupportedError.at("K039", f"{semantic} carries something else", item.span, hint="give another number as `generic`")
