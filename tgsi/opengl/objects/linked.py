"""Linked programs: Gallium shaders by stage, names with their locations, values of uniforms. (OpenGL 4.6 core, 7.3 and 7.6)"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tgsi.opengl.objects.glsl_types import Shape, shape_of
from tgsi.opengl.objects.subroutines import StageSubroutines
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    import tgsi
    from tgsi.language.interface import Block, Unit, Variable
    from tgsi.native import Uniforms


STAGE_NUMBERS = {
    GL.VERTEX_SHADER: 0,
    GL.FRAGMENT_SHADER: 1,
    GL.GEOMETRY_SHADER: 2,
    GL.TESS_CONTROL_SHADER: 3,
    GL.TESS_EVALUATION_SHADER: 4,
    GL.COMPUTE_SHADER: 5,
}
"""Gallium's number of each stage (PIPE_SHADER)."""


@dataclass
class Uniform:
    """A uniform under its name in queries. `places` are its values in constant buffers, `units` its samplers or images.

    Members of uniform blocks have a `block`, atomic counters a `counter` buffer and an `offset`, and neither has a location.
    """

    name: str
    type: int
    size: int
    _: KW_ONLY
    location: int = -1
    places: list[tuple[int, Variable]] = field(default_factory=list)
    units: list[tuple[int, Unit]] = field(default_factory=list)
    is_image: bool = False
    block: int = -1
    variable: Variable | None = None
    counter: int = -1
    offset: int = -1
    stages: int = 0

    @property
    def is_array(self) -> bool:
        """True if the name ends with [0]."""
        return self.name.endswith("[0]")


@dataclass
class BlockPlace:
    """A uniform block or shader storage block: the slots of the stages that use it, and the binding point that feeds them.

    `stages` has a bit for each of these stages, in the order of the pipeline.
    """

    name: str
    size: int
    binding: int
    slots: list[tuple[int, int]] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
    _: KW_ONLY
    item: Block | None = None
    stages: int = 0


@dataclass
class Attribute:
    """A vertex input: its location for commands, and its first register in the program. Each column has a separate location."""

    name: str
    type: int
    kind: str
    location: int
    register: int
    registers: int

    @property
    def shape(self) -> Shape:
        """Columns, components and elements."""
        return shape_of(self.kind)

    @property
    def locations(self) -> int:
        """Number of locations."""
        return self.shape.columns * self.shape.elements


@dataclass
class CounterBuffer:
    """A buffer of counters: its binding point, its bytes, the numbers of its uniforms, and bits of the stages that use it."""

    binding: int
    size: int = 0
    members: list[int] = field(default_factory=list)
    stages: int = 0

    @property
    def name(self) -> str:
        """Buffers of counters have no names."""
        return ""


@dataclass
class Output:
    """A fragment output with its color number and index."""

    name: str
    type: int
    location: int
    index: int = 0


class StateUniform(NamedTuple):
    """A built-in uniform of groups of state (`bits`): the function that returns an element's value, and its place in the constants."""

    bits: int
    find: Callable[[Any, int], Any]
    element: int
    stage: int
    variable: Variable


class Linked:
    """A linked program: Gallium shaders by stage, names with locations, and values of uniforms."""

    def __init__(self) -> None:
        self.shaders: dict[int, Any] = {}
        self.programs: dict[int, tgsi.Program] = {}
        self.uniforms: list[Uniform] = []
        self.locations: dict[int, tuple[Uniform, int]] = {}
        self.blocks: list[BlockPlace] = []
        self.storage: list[BlockPlace] = []
        self.counters: list[CounterBuffer] = []
        self.counter_bindings: set[int] = set()
        self.attributes: list[Attribute] = []
        self.outputs: list[Output] = []
        self.feedback: list[tuple[str, int, int]] = []
        self.feedback_mode: int = GL.INTERLEAVED_ATTRIBS
        self.streamed: frozenset[int] = frozenset()
        """Numbers of the buffers written by transform feedback, from glTransformFeedbackVaryings or from layouts in the text."""
        self.constants: dict[int, bytearray] = {}
        self._stale: set[int] = set()
        self.native: Uniforms | None = None
        """Places of the uniforms for native functions, once they are used."""
        self.slices: dict[tuple[Any, ...], list[tuple[bytearray, int, int, int]]] = {}
        """Ranges of constants that packed values replace, by the arguments of a command: the constants, first byte, last byte and stage."""
        self.texture_units: dict[int, dict[int, tuple[int, str]]] = {}
        self.image_units: dict[int, dict[int, int]] = {}
        self.missing: dict[tuple[int, ...], list[int]] = {}
        """Locations that take current values, by the columns of a primitive."""
        self.varyings: tuple[str, ...] = ()
        self.subroutines: dict[int, StageSubroutines] = {}
        self.number = 0
        self.user = 0
        """The number of the context that used the program last; its constants hold that context's state. 0: none, or bindings changed."""
        self.is_separable = False
        self.parts: tuple[Linked, ...] = ()
        """The programs whose stages are combined; empty for a program linked as a whole."""
        self.state: list[StateUniform] | None = None
        """Built-in state uniforms; None until first use."""
        self._has_viewport: bool | None = None
        self._is_flat: bool | None = None
        self._reads: frozenset[tuple[str, int]] | None = None
        self.mixes: dict[Any, Linked] = {}
        """Combinations with fixed-function stages, by their keys."""

    def take(self, user: int) -> bool:
        """Note that a context draws with the program; True if another context used it since, or if bindings changed."""
        before, self.user = self.user, user
        return before != user

    @property
    def stale(self) -> set[int]:
        """Stages whose constants are not those that the device has."""
        changed = self.native.take_stale() if self.native is not None else 0
        if changed:
            self._stale.update(stage for stage in self.constants if changed >> STAGE_NUMBERS[stage] & 1)
        return self._stale

    def note_stale(self, stages: Collection[int]) -> None:
        """Note that the device lacks the constants of these stages."""
        self.stale.update(stages)

    def note_upload(self) -> None:
        """Note that the device has the constants of all stages."""
        self.stale.clear()

    def fragment_reads(self) -> frozenset[tuple[str, int]]:
        """Names and indices of the semantics that the fragment shader reads."""
        if self._reads is None:
            program = self.programs.get(GL.FRAGMENT_SHADER)
            inputs = [item for item in program.declarations if item.file.name == "IN"] if program is not None else []
            spans = [(item.semantic.name, item.semantic.index, item.last - item.first + 1) for item in inputs if item.semantic is not None]
            self._reads = frozenset((name, index + place) for name, index, count in spans for place in range(count))
        return self._reads

    def has_flat_inputs(self) -> bool:
        """True if the fragment shader reads flat inputs."""
        if self._is_flat is None:
            program = self.programs.get(GL.FRAGMENT_SHADER)
            declarations = program.declarations if program is not None else ()
            self._is_flat = any(item.interpolation is not None and item.interpolation.name == "CONSTANT" for item in declarations)
        return self._is_flat

    def writes_viewport(self) -> bool:
        """True if a stage writes the viewport index."""
        if self._has_viewport is None:
            semantics = (item.semantic for program in self.programs.values() for item in program.declarations if item.file.name == "OUT")
            self._has_viewport = any(semantic is not None and semantic.name == "VIEWPORT_INDEX" for semantic in semantics)
        return self._has_viewport

    def lacks(self, stage: int) -> bool:
        """True if a draw needs a fixed-function stage."""
        return stage not in self.programs and set(self.programs) != {GL.COMPUTE_SHADER}

    def leaves(self) -> Iterator[Linked]:
        """The programs of the combination that were linked as a whole."""
        for part in self.parts:
            yield from part.leaves()
        if not self.parts:
            yield self

    def find(self, name: str) -> tuple[Uniform, int] | None:
        """The uniform and the element for a name."""
        for uniform in self.uniforms:
            if name in (uniform.name, uniform.name.removesuffix("[0]")):
                return uniform, 0
            stem = uniform.name.removesuffix("[0]")
            if uniform.is_array and name.startswith(stem + "[") and name.endswith("]"):
                digits = name[len(stem) + 1 : -1]
                if digits.isdigit() and int(digits) < uniform.size and str(int(digits)) == digits:
                    return uniform, int(digits)
        return None
