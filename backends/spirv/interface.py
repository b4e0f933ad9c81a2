"""Inputs and outputs as variables with locations, and as built-in variables."""

from __future__ import annotations

from collections.abc import Sequence

from backends.spirv.ports import Port, Ports
from backends.spirv.semantics import SCALARS, location
from backends.spirv.state import WORDS, State
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import INPUT_VERTICES
from tgsi.language.ir import Declaration, RegisterRef

PATCH_VERTICES = 32
"""Rows of the inputs of patches."""

_PATCH = frozenset({"PATCH", "TESSOUTER", "TESSINNER"})
_LEVELS = {"TESSOUTER": ("TessLevelOuter", 4), "TESSINNER": ("TessLevelInner", 2)}
_SHADOWED = frozenset({Processor.VERT, Processor.TESS_EVAL, Processor.GEOM, Processor.FRAG})


def output_file(s: State) -> tuple[File, ...]:
    """OUT where outputs are registers of the invocation until they are handed on, as no other invocation sees them."""
    return (File.OUT,) if s.program.processor in _SHADOWED else ()


class Inputs(Ports):
    """Inputs by register number."""

    def rows(self, semantic: Semantic) -> int:
        """Vertices of an input; 0 for one without rows."""
        program = self.s.program
        match program.processor:
            case Processor.GEOM:
                if semantic.name == "PRIM_ID":
                    return 0
                return INPUT_VERTICES.get(program.property("GS_INPUT_PRIMITIVE", 4), 3)
            case Processor.TESS_CTRL | Processor.TESS_EVAL:
                return 0 if semantic.name in _PATCH or semantic.name == "PRIM_ID" else PATCH_VERTICES
        return 0

    def own_row(self) -> int:
        """The row of a register that names none: the invocation's own vertex in control programs."""
        s = self.s
        if s.program.processor is Processor.TESS_CTRL:
            return s.registers.word("InvocationId")
        return s.module.uint(0)

    def make(self, index: int, item: Declaration, semantic: Semantic) -> Port:
        """The port of a declared input."""
        s, m = self.s, self.s.module
        processor = s.program.processor
        rows = self.rows(semantic)
        name = f"in_{semantic.name}_{semantic.index}"
        if processor is Processor.VERT:
            return self.located(item, index, index, f"in_{index}", 0)
        place = semantic.index if semantic.name == "PATCH" else location(semantic)
        if place is not None:
            port = self.located(item, index, place, name, rows)
            if processor is Processor.FRAG:
                self._interpolated(port.variable, item)
            return port
        if semantic.name in _LEVELS and processor is Processor.TESS_EVAL:
            built_in, size = _LEVELS[semantic.name]
            variable = self.built_in(built_in, m.array(m.scalar("float"), size))
            self._once(variable, "Patch")
            return Port(variable, self.storage, 0, tuple((place, "float", place) for place in range(size)))
        if processor is not Processor.FRAG:
            if semantic.name == "POSITION":
                return Port(self.built_in("Position", m.vector("float", WORDS), rows), self.storage, rows)
            if semantic.name == "CLIPDIST":
                return self.distances(semantic.index, rows)
            if semantic.name in SCALARS and semantic.name in ("PSIZE", "PRIM_ID"):
                return self.scalar(*SCALARS[semantic.name], rows)
        elif semantic.name == "CLIPDIST":
            return self.distances(semantic.index, 0)
        s.fail("M032", f"SPIR-V has no input for the semantic {semantic} in a program of stage {processor.name}", item.span)

    def _once(self, variable: int, name: str) -> None:
        m = self.s.module
        key = ("decorated", variable, name)
        if key not in m.known:
            m.known[key] = 1
            m.decorate(variable, name)

    def _interpolated(self, variable: int, item: Declaration) -> None:
        m = self.s.module
        if item.interpolation is Interpolation.CONSTANT:
            m.decorate(variable, "Flat")
        elif item.interpolation is Interpolation.LINEAR:
            m.decorate(variable, "NoPerspective")
        if item.location is Location.CENTROID:
            m.decorate(variable, "Centroid")
        elif item.location is Location.SAMPLE:
            m.need("SampleRateShading")
            m.decorate(variable, "Sample")

    def read(self, register: RegisterRef) -> int:
        """The words of an input."""
        return self.gather(register)

    def direct(self, register: RegisterRef) -> int:
        """The words of an input with a constant number."""
        s = self.s
        declared = self.declaration(register.index)
        if s.program.processor is Processor.FRAG and declared is not None:
            special = s.registers.fragment(declared[1].name)
            if special is not None:
                return special
        return Ports.direct(self, register)


class Outputs(Ports):
    """Outputs by register number."""

    storage = "Output"
    file = File.OUT

    def own_row(self) -> int:
        """The row of an output that names none: the invocation's own vertex."""
        return self.s.registers.word("InvocationId")

    def make(self, index: int, item: Declaration, semantic: Semantic) -> Port:
        """The port of a declared output."""
        s, m = self.s, self.s.module
        processor = s.program.processor
        if processor is Processor.FRAG:
            return self._fragment(index, item, semantic)
        name = f"out_{semantic.name}_{semantic.index}"
        rows = s.program.property("TCS_VERTICES_OUT", 1) if processor is Processor.TESS_CTRL and semantic.name not in _PATCH else 0
        place = semantic.index if semantic.name == "PATCH" else location(semantic)
        if place is not None:
            port = self.located(item, index, place, name, rows)
            if any(item.streams):
                if len(set(item.streams)) > 1:
                    s.fail("M032", "channels of one output go to several streams", item.span)
                m.need("GeometryStreams")
                m.decorate(port.variable, "Stream", item.streams[0])
            return port
        if semantic.name in _LEVELS and processor is Processor.TESS_CTRL:
            built_in, size = _LEVELS[semantic.name]
            variable = self.built_in(built_in, m.array(m.scalar("float"), size))
            m.decorate(variable, "Patch")
            return Port(variable, self.storage, 0, tuple((place, "float", place) for place in range(size)))
        if semantic.name == "POSITION":
            return Port(self.built_in("Position", m.vector("float", WORDS), rows), self.storage, rows)
        if semantic.name == "CLIPDIST":
            return self.distances(semantic.index, rows)
        if semantic.name in SCALARS and (semantic.name == "PSIZE" or processor is Processor.GEOM):
            if semantic.name == "VIEWPORT_INDEX":
                m.need("MultiViewport")
            return self.scalar(*SCALARS[semantic.name], rows)
        if semantic.name in ("LAYER", "VIEWPORT_INDEX") and processor is not Processor.TESS_CTRL:
            m.need("ShaderViewportIndexLayerEXT", extension="SPV_EXT_shader_viewport_index_layer")
            return self.scalar(*SCALARS[semantic.name], rows)
        s.fail("M032", f"SPIR-V has no output for the semantic {semantic} in a program of stage {processor.name}", item.span)

    def _fragment(self, index: int, item: Declaration, semantic: Semantic) -> Port:
        s, m = self.s, self.s.module
        match semantic.name:
            case "COLOR":
                return self.located(item, index, semantic.index, f"out_color_{semantic.index}", 0)
            case "POSITION":
                m.mode(s.entry, "DepthReplacing")
                layouts = {2: "DepthGreater", 3: "DepthLess", 4: "DepthUnchanged"}
                layout = layouts.get(s.program.property("FS_DEPTH_LAYOUT"))
                if layout is not None:
                    m.mode(s.entry, layout)
                return self.scalar("FragDepth", "float", 0, 2)
            case "STENCIL":
                m.need("StencilExportEXT", extension="SPV_EXT_shader_stencil_export")
                m.mode(s.entry, "StencilRefReplacingEXT")
                return self.scalar("FragStencilRefEXT", "int", 0, 1)
            case "SAMPLEMASK":
                variable = self.built_in("SampleMask", m.array(m.scalar("int"), 1))
                return Port(variable, self.storage, 0, ((0, "int", 0),))
        s.fail("M032", f"SPIR-V has no output for the semantic {semantic} in a program of stage FRAG", item.span)

    def read(self, register: RegisterRef) -> int:
        """The words of an output that several invocations share."""
        return self.gather(register)

    def write(self, register: RegisterRef, value: int, channels: Sequence[int]) -> None:
        """Store channels of an output that several invocations share."""
        s, m = self.s, self.s.module
        if register.indirect is None:
            self._write(register, value, channels)
            return
        index = s.registers.address(register.indirect, register.index)
        for number in self.indices():
            declared = self.declaration(number)
            if not register.array_id or (declared is not None and declared[0].array_id == register.array_id):
                one = RegisterRef(register.file, number, register.dimension)
                s.guarded(s.test("IEqual", index, m.uint(number)), lambda one=one: self._write(one, value, channels))  # type: ignore[misc]

    def _write(self, register: RegisterRef, value: int, channels: Sequence[int]) -> None:
        port = self.find(register.index)
        if port is None:
            return
        row, inside = self.safe_row(register, port, self.own_row())
        if inside is None:
            self.store(port, row, value, channels)
        else:
            self.s.guarded(inside, lambda: self.store(port, row, value, channels))

    def flush(self) -> None:
        """Hand on the outputs that wait in registers."""
        s = self.s
        for index in self.indices():
            port = self.find(index)
            if port is None:
                continue
            value = s.registers.words(RegisterRef(File.OUT, index))
            self.store(port, None, value, range(WORDS))
            declared = self.declaration(index)
            if declared is not None and s.program.processor is Processor.FRAG and declared[1] == Semantic("COLOR", 0):
                for target in range(1, s.options.color_targets if s.program.property("FS_COLOR0_WRITES_ALL_CBUFS") else 1):
                    self.store(self._further(declared[0], index, target), None, value, range(WORDS))

    def _further(self, item: Declaration, index: int, target: int) -> Port:
        key = -target
        if key not in self.found:
            self.found[key] = self.located(item, index, target, f"out_color_{target}", 0)
        member = self.found[key]
        assert member is not None
        return member
