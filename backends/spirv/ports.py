"""Registers of inputs and outputs as variables: reads and writes of whole vectors, of scalars, and of rows of vertices."""

from __future__ import annotations

from collections.abc import Sequence

from backends.spirv.semantics import CAPABILITIES, LOCATION_LIMIT
from backends.spirv.state import WORDS, State
from tgsi.language.facts.enums import File
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, RegisterRef
from tgsi.language.record import record


@record
class Port:
    """One register: a pointer to a vector of floats, or scalars by channel.

    `variable` is the id of a variable, `rows` the number of its vertices (0: not by vertex). `scalars` have channel, type and index in an
    array (None: no array) of `variable`. `parts` are ports of scalars that share the register.
    """

    variable: int
    storage: str
    rows: int = 0
    scalars: tuple[tuple[int, str, int | None], ...] = ()
    parts: tuple[Port, ...] | None = None


class Ports:
    """The inputs or the outputs of a program, by register number."""

    storage = "Input"
    file = File.IN

    def __init__(self, s: State) -> None:
        self.s = s
        self.found: dict[int, Port | None] = {}
        self.clip: list[tuple[int, int]] | None = None
        self.locations: dict[tuple[int, bool, int], Declaration] = {}

    def declaration(self, index: int) -> tuple[Declaration, Semantic] | None:
        """The declaration of a register, and its own semantic."""
        for item in self.s.program.declared(self.file):
            if item.covers(index):
                known = item.semantic or Semantic("POSITION")
                return item, Semantic(known.name, known.index + index - item.first)
        return None

    def indices(self) -> list[int]:
        """Numbers of the declared registers."""
        return [number for item in self.s.program.declared(self.file) for number in range(item.first, item.last + 1)]

    def variable(self, kind: int, name: str, item: Declaration | None, rows: int) -> int:
        """A variable, an array of it for stages with rows of vertices."""
        m = self.s.module
        return m.variable(self.storage, m.array(kind, rows) if rows else kind, name)

    def built_in(self, name: str, kind: int, rows: int = 0) -> int:
        """A built-in variable."""
        m = self.s.module
        key = ("built-in", self.storage, name)
        if key not in m.known:
            m.known[key] = variable = self.variable(kind, f"gl_{name}", None, rows)
            m.decorate(variable, "BuiltIn", name)
            m.need(*CAPABILITIES.get(name, ()))
        return m.known[key]

    def located(self, item: Declaration, index: int, place: int, name: str, rows: int, second: int = 0) -> Port:
        """A vector of floats at a location."""
        s, m = self.s, self.s.module
        if place >= LOCATION_LIMIT:
            known = self._named(item)
            text = f"{known} has no location, and stages of SPIR-V meet by locations"
            hint = "write `layout(location = n)`, or give all stages: tgsi-compile a.vert b.frag --emit spirv -o FOLDER, or tgsi.renumber"
            s.fail("M032", text if known else f"{text} is beyond {LOCATION_LIMIT - 1}", item.span, hint)
        patch = item.semantic is not None and item.semantic.name == "PATCH"
        other = self.locations.setdefault((place, patch, second), item)
        if other is not item:
            s.fail("M032", f"two registers have the location {place}", item.span)
        known = self._semantic(item, index)
        port = self.variable(m.vector("float", WORDS), s.options.layout.name(f"{self.file.name}[{index}]", known) or name, item, rows)
        m.decorate(port, "Location", place)
        if patch:
            m.decorate(port, "Patch")
        if second:
            m.decorate(port, "Index", second)
        if item.invariant:
            m.decorate(port, "Invariant")
        return Port(port, self.storage, rows)

    def _semantic(self, item: Declaration, index: int) -> str:
        """The semantic of a register in the form of keys; an empty text for inputs of vertex programs."""
        known = item.semantic
        return "" if known is None else f"{known.name}[{known.index + index - item.first}]"

    def _named(self, item: Declaration) -> str:
        """The name of a value that is linked by name, or an empty text."""
        interface = self.s.program.interface
        ports = (interface.inputs if self.file is File.IN else interface.outputs) if interface is not None else {}
        return next((f"`{port.name}`" for port in ports.values() if port.semantic == str(item.semantic)), "")

    def scalar(self, name: str, kind: str, rows: int, channel: int = 0) -> Port:
        """A scalar that is built in."""
        return Port(self.built_in(name, self.s.module.scalar(kind), rows), self.storage, rows, ((channel, kind, None),))

    def distances(self, register: int, rows: int) -> Port:
        """Four of the clip and cull distances."""
        s, m = self.s, self.s.module
        known = [d for d in s.program.declared(self.file) if d.semantic is not None and d.semantic.name == "CLIPDIST"]
        most = 4 * (1 + max(d.semantic.index + d.last - d.first for d in known if d.semantic is not None))
        cull = s.program.property("NUM_CULLDIST_ENABLED") if self.file is File.OUT else 0
        clip = s.program.property("NUM_CLIPDIST_ENABLED", most - cull) if self.file is File.OUT else most
        clip, cull = min(clip, 8), min(cull, 8 - min(clip, 8))
        ports: list[Port] = []
        for number in range(4 * register, 4 * register + 4):
            if number < clip:
                kind, name, first = m.array(m.scalar("float"), clip), "ClipDistance", 0
            elif number < clip + cull:
                kind, name, first = m.array(m.scalar("float"), cull), "CullDistance", clip
            else:
                continue
            variable = self.built_in(name, kind, rows)
            ports.append(Port(variable, self.storage, rows, ((number % 4, "float", number - first),)))
        return Port(0, self.storage, rows, parts=tuple(ports))

    # access

    def pointer(self, port: Port, row: int | None, kind: str, size: int, *indices: int) -> int:
        """A pointer to a port, or to a part of it."""
        s = self.s
        steps = ([row] if port.rows and row is not None else []) + [s.known(index) for index in indices]
        return s.chain(port.storage, s.module.vector(kind, size), port.variable, *steps) if steps else port.variable

    def value(self, port: Port, row: int | None, fill: Sequence[float] = (0, 0, 0, 0)) -> int:
        """The four words of a port; channels without a value have those of `fill`."""
        s, m = self.s, self.s.module
        if port.scalars or port.parts is not None:
            words = [s.cast(s.number(value), "float", "uint", 1) for value in fill]
            for part in port.parts if port.parts is not None else (port,):
                for channel, kind, index in part.scalars:
                    indices = () if index is None else (index,)
                    word = s.load(self.pointer(part, row, kind, 1, *indices), m.scalar(kind))
                    words[channel] = s.cast(word, kind, "uint", 1)
            return s.vector("uint", words)
        word = s.load(self.pointer(port, row, "float", WORDS), m.vector("float", WORDS))
        return s.cast(word, "float", "uint", WORDS)

    def store(self, port: Port, row: int | None, value: int, channels: Sequence[int]) -> None:
        """Write channels of a port, of a vector of as many words."""
        s, m = self.s, self.s.module
        scalars = dict(zip(channels, s.parts(value, "uint", len(channels)))) if len(channels) > 1 else {channels[0]: value}
        if port.scalars or port.parts is not None:
            for part in port.parts if port.parts is not None else (port,):
                for channel, kind, index in part.scalars:
                    if channel in scalars:
                        indices = () if index is None else (index,)
                        m.do("Store", self.pointer(part, row, kind, 1, *indices), s.cast(scalars[channel], "uint", kind, 1))
        elif len(channels) == WORDS:
            m.do("Store", self.pointer(port, row, "float", WORDS), s.cast(value, "uint", "float", WORDS))
        else:
            for channel, word in scalars.items():
                m.do("Store", self.pointer(port, row, "float", 1, channel), s.cast(word, "uint", "float", 1))

    def safe_row(self, register: RegisterRef, port: Port, own: int) -> tuple[int | None, int | None]:
        """The row of a register and, for an index computed at run time, a bool: the row exists."""
        s, m = self.s, self.s.module
        if not port.rows:
            return None, None
        if register.dimension is None:
            return own, None
        row = s.registers.row(register)
        assert row is not None
        if register.dimension.indirect is None:
            return (row, None) if register.dimension.index < port.rows else (m.uint(0), m.constant("bool", 0))
        inside = s.test("ULessThan", row, m.uint(port.rows))
        return s.choose(inside, row, m.uint(0), "uint", 1), inside

    def find(self, index: int) -> Port | None:
        """The port of a register; None where none is declared."""
        if index not in self.found:
            declared = self.declaration(index)
            self.found[index] = None if declared is None else self.make(index, *declared)
        return self.found[index]

    def make(self, index: int, item: Declaration, semantic: Semantic) -> Port:
        """The port of a declared register."""
        raise AssertionError

    def own_row(self) -> int:
        """The row of a register that names none."""
        return self.s.module.uint(0)

    def gather(self, register: RegisterRef) -> int:
        """The words of a register, of one among all where the number is found when the program runs."""
        s, m = self.s, self.s.module
        if register.indirect is None:
            return self.direct(register)
        index = s.registers.address(register.indirect, register.index)
        words = m.null(m.vector("uint", WORDS))
        for number in self.indices():
            declared = self.declaration(number)
            if register.array_id and (declared is None or declared[0].array_id != register.array_id):
                continue
            value = self.direct(RegisterRef(register.file, number, register.dimension))
            test = s.splat(s.test("IEqual", index, m.uint(number)), "bool", WORDS)
            words = s.choose(test, value, words, "uint", WORDS)
        return words

    def direct(self, register: RegisterRef) -> int:
        """The words of a register with a constant number."""
        s, m = self.s, self.s.module
        four = m.vector("uint", WORDS)
        port = self.find(register.index)
        if port is None:
            return m.null(four)
        row, inside = self.safe_row(register, port, self.own_row())
        value = self.value(port, row)
        return value if inside is None else s.choose(s.splat(inside, "bool", WORDS), value, m.null(four), "uint", WORDS)
