"""System values as built-in inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from backends.spirv.state import WORDS, State
from tgsi.language.facts.enums import File, Processor
from tgsi.language.ir import RegisterRef

_SCALARS: Mapping[str, str] = MappingProxyType(
    {
        "VERTEXID": "VertexIndex",
        "BASEVERTEX": "BaseVertex",
        "BASEINSTANCE": "BaseInstance",
        "DRAWID": "DrawIndex",
        "INVOCATIONID": "InvocationId",
        "PRIM_ID": "PrimitiveId",
        "VERTICESIN": "PatchVertices",
        "SAMPLEID": "SampleId",
        "SUBGROUP_SIZE": "SubgroupSize",
        "SUBGROUP_INVOCATION": "SubgroupLocalInvocationId",
    }
)
_VECTORS: Mapping[str, tuple[str, str, int]] = MappingProxyType(
    {
        "TESSCOORD": ("TessCoord", "float", 3),
        "SAMPLEPOS": ("SamplePosition", "float", 2),
        "GRID_SIZE": ("NumWorkgroups", "uint", 3),
        "BLOCK_ID": ("WorkgroupId", "uint", 3),
        "THREAD_ID": ("LocalInvocationId", "uint", 3),
    }
)
_ARRAYS: Mapping[str, tuple[str, str, int]] = MappingProxyType(
    {"TESSOUTER": ("TessLevelOuter", "float", 4), "TESSINNER": ("TessLevelInner", "float", 2), "SAMPLEMASK": ("SampleMask", "int", 1)}
)
_MASKS: Mapping[str, str] = MappingProxyType(
    {f"SUBGROUP_{word.upper()}_MASK": f"Subgroup{word}Mask" for word in ("Eq", "Ge", "Gt", "Le", "Lt")}
)
_BLOCK = ("CS_FIXED_BLOCK_WIDTH", "CS_FIXED_BLOCK_HEIGHT", "CS_FIXED_BLOCK_DEPTH")
_UNSIGNED = frozenset({"SubgroupSize", "SubgroupLocalInvocationId"})


class SystemValues:
    """Reads of system values, and of fragment inputs that are built in."""

    def __init__(self, s: State) -> None:
        self.s = s

    def read(self, register: RegisterRef) -> int:
        """The words of a system value."""
        s, m = self.s, self.s.module
        if register.indirect is not None:
            s.fail("M031", "a system value that is indexed has no place in SPIR-V")
        item = next((item for item in s.program.declared(File.SV) if item.covers(register.index)), None)
        if item is None or item.semantic is None:
            return m.null(m.vector("uint", WORDS))
        value = self._value(item.semantic.name)
        if value is None:
            s.fail("M032", f"SPIR-V has no built-in variable for the system value {item.semantic}", item.span)
        return value

    def word(self, name: str) -> int:
        """A built-in integer."""
        s, m = self.s, self.s.module
        kind = "uint" if name in _UNSIGNED else "int"
        variable = self.s.registers.built_in(name, m.scalar(kind))
        self._flat(variable)
        return s.cast(s.load(variable, m.scalar(kind)), kind, "uint", 1)

    def _flat(self, variable: int) -> None:
        m = self.s.module
        if self.s.program.processor is Processor.FRAG and ("decorated", variable, "Flat") not in m.known:
            m.known["decorated", variable, "Flat"] = 1
            m.decorate(variable, "Flat")

    def _bool(self, name: str) -> int:
        s, m = self.s, self.s.module
        return s.load(self.s.registers.built_in(name, m.scalar("bool")), m.scalar("bool"))

    def _filled(self, kind: str, scalars: list[int], rest: tuple[float, ...] = (0, 0, 0, 0)) -> int:
        s = self.s
        words = [s.cast(item, kind, "uint", 1) for item in scalars]
        words += [s.cast(s.number(value), "float", "uint", 1) for value in rest[len(words) : WORDS]]
        return s.vector("uint", words)

    def _value(self, name: str) -> int | None:
        s, m = self.s, self.s.module
        stage = s.program.processor
        if name in _SCALARS:
            if name == "PRIM_ID" and stage is Processor.FRAG:
                m.need("Geometry")
            return s.splat(self.word(_SCALARS[name]), "uint", WORDS)
        if name in _VECTORS:
            built_in, kind, size = _VECTORS[name]
            value = s.load(self.s.registers.built_in(built_in, m.vector(kind, size)), m.vector(kind, size))
            return self._filled(kind, s.parts(value, kind, size))
        if name in _ARRAYS:
            built_in, kind, size = _ARRAYS[name]
            variable = self.s.registers.built_in(built_in, m.array(m.scalar(kind), size))
            if kind == "int":
                self._flat(variable)
            elif ("decorated", variable, "Patch") not in m.known:
                m.known["decorated", variable, "Patch"] = 1
                m.decorate(variable, "Patch")
            scalars = [s.load(s.chain("Input", m.scalar(kind), variable, s.known(place)), m.scalar(kind)) for place in range(size)]
            return self._filled(kind, scalars)
        if name in _MASKS:
            variable = self.s.registers.built_in(_MASKS[name], m.vector("uint", WORDS))
            self._flat(variable)
            value = s.load(variable, m.vector("uint", WORDS))
            return self._filled("uint", s.parts(value, "uint", WORDS)[:2])
        other = self._others().get(name)
        return None if other is None else other()

    def _others(self) -> dict[str, Callable[[], int]]:
        s, m = self.s, self.s.module

        def difference(whole: str, base: str) -> int:
            return s.splat(m.op("ISub", m.scalar("uint"), self.word(whole), self.word(base)), "uint", WORDS)

        def block() -> int:
            sizes = [s.program.property(name) for name in _BLOCK]
            if not all(sizes):
                s.fail("M033", "a block without a fixed size has none in SPIR-V", hint="state CS_FIXED_BLOCK_WIDTH, _HEIGHT and _DEPTH")
            return m.composite("uint", [*sizes, 0])

        return {
            "INSTANCEID": lambda: difference("InstanceIndex", "BaseInstance"),
            "VERTEXID_NOBASE": lambda: difference("VertexIndex", "BaseVertex"),
            "BLOCK_SIZE": block,
            "FACE": lambda: s.splat(s.flags(self._bool("FrontFacing"), 1), "uint", WORDS),
            "HELPER_INVOCATION": lambda: s.splat(s.flags(self._bool("HelperInvocation"), 1), "uint", WORDS),
        }

    def fragment(self, name: str) -> int | None:
        """The words of a fragment input that is built in; None for other semantics."""
        s, m = self.s, self.s.module
        match name:
            case "POSITION":
                value = s.load(self.s.registers.built_in("FragCoord", m.vector("float", WORDS)), m.vector("float", WORDS))
                return s.cast(value, "float", "uint", WORDS)
            case "FACE":
                side = s.choose(self._bool("FrontFacing"), s.number(1), s.number(-1), "float", 1)
                return self._filled("float", [side], (0, 0, 0, 1))
            case "PCOORD":
                value = s.load(self.s.registers.built_in("PointCoord", m.vector("float", 2)), m.vector("float", 2))
                return self._filled("float", s.parts(value, "float", 2), (0, 0, 0, 1))
            case "PRIM_ID" | "LAYER" | "VIEWPORT_INDEX":
                m.need({"PRIM_ID": "Geometry", "LAYER": "Geometry", "VIEWPORT_INDEX": "MultiViewport"}[name])
                word = self.word({"PRIM_ID": "PrimitiveId", "LAYER": "Layer", "VIEWPORT_INDEX": "ViewportIndex"}[name])
                return s.splat(word, "uint", WORDS)
        return None
