"""Statements of one program: sources to expressions, results to assignments.

A value that is used once, soon after, and by no more than one operand becomes a part of the expression that uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.glsl.expressions import BOOL, FLOAT, INT, SUM, UINT, UNARY, Expr, call, convert, literal, swizzled, type_name, widen
from backends.glsl.names import Names
from backends.glsl.places import Place, refuse
from backends.glsl.resources import Resources
from backends.glsl.stages import Ports
from backends.glsl.variables import WHOLE, Key, Variable, Variables
from backends.glsl.version import Version
from tgsi.language.channels import source_channels
from tgsi.language.facts.enums import File, Processor
from tgsi.language.ir import IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Span

MAX_INLINE = 72
"""Characters of the longest expression that becomes a part of another."""

_SIGN = 1 << 31


@record
class _Pending:
    """A result that waits for its only use: the expression, its channels, and the registers that it reads."""

    value: Expr
    channels: tuple[int, ...]
    reads: frozenset[tuple[File, int]]


class Code:
    """Lines of the program's functions, and everything that they name."""

    def __init__(
        self, program: Program, variables: Variables, ports: Ports, resources: Resources, names: Names, *, has_subs: bool, version: Version
    ) -> None:
        self.version = version
        self.program, self.variables, self.ports, self.resources, self.names = program, variables, ports, resources, names
        self.lines: list[str] = []
        self.depth = 1
        self.helpers: set[tuple[str, str, int]] = set()
        self.extensions: set[str] = set()
        self.kept: list[tuple[Place, Place]] = []
        self.top: list[str] = []
        """Declarations of variables that blocks share."""
        self._has_subs = has_subs
        self._pending: dict[Key, _Pending] = {}
        self._reads: set[tuple[File, int]] = set()
        self._places: dict[Key, Place] = {}
        self._declared: set[Key] = set()

    # Lines.

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append(f"{'    ' * self.depth}{text}")

    def flush(self) -> None:
        """Write down every result that still waits."""
        for key in list(self._pending):
            self._write_down(key)

    def _write_down(self, key: Key) -> None:
        pending = self._pending.pop(key)
        self._assign(key, pending.value, pending.channels)

    def begin(self) -> None:
        """Begin an instruction: nothing is read yet."""
        self._reads = set()

    # Places.

    def place_of(self, key: Key) -> Place:
        """The variable of a register."""
        place = self._places.get(key)
        if place is None:
            variable = self.variables.by_key[key]
            file, number = key
            channels = variable.channels or (0,)
            wanted = {"TEMP": f"t{number}", "ADDR": f"a{number}"}[file]
            place = self._places[key] = Place(self.names.give(wanted), variable.type, channels)
            if self._has_subs or not variable.is_declared_at_write:
                self._declare_at_top(key, place)
        return place

    def _declare_at_top(self, key: Key, place: Place) -> None:
        self._declared.add(key)
        kind = type_name(place.type, len(place.channels))
        zero = literal((0,), place.type).text
        self.top.append(f"{kind} {place.name} = {zero if len(place.channels) == 1 else f'{kind}({zero})'};")

    def _array(self, number: int) -> tuple[str, int, str]:
        """Name, first register and type of an array."""
        key = ("array", number)
        ranges = {d.array_id: d for d in self.program.declared(File.TEMP) if d.array_id}
        first = ranges[number].first if number != WHOLE else 0
        place = self.variables.by_key[key]
        if key not in self._places:
            size = ranges[number].last + 1 - first if number != WHOLE else self.program.file_size(File.TEMP)
            name = self.names.give(f"array{number}")
            self._places[key] = Place(name, place.type)
            kind = type_name(place.type, 4)
            zeros = ", ".join([f"{kind}({literal((0,), place.type)})"] * size)
            self.top.append(f"{kind} {name}[{size}] = {kind}[{size}]({zeros});")
        return self._places[key].name, first, place.type

    def index(self, base: int, ref: IndirectRef | None, less: int = 0) -> str:
        """The text of an index."""
        base -= less
        if ref is None:
            return str(base)
        value = convert(self.read(RegisterRef(ref.file, ref.index), (ref.component,), INT), INT)
        if base == 0:
            return value.text
        return f"{value.within(SUM)} {'-' if base < 0 else '+'} {abs(base)}"

    def _place(self, register: RegisterRef, item_span: object = None) -> Place:
        file = register.file
        key = self.variables.key_of(register)
        if file is File.TEMP and key is not None and key[0] == "array":
            name, first, kind = self._array(key[1])
            return Place(f"{name}[{self.index(register.index, register.indirect, first)}]", kind)
        if file is File.TEMP or file is File.ADDR:
            assert key is not None
            return self.place_of(key)
        if file is File.CONST:
            buffer = register.dimension.index if register.dimension is not None else 0
            if (register.dimension is not None and register.dimension.indirect is not None) or buffer not in self.resources.constants:
                refuse("a constant buffer that is chosen by an address", self.span)
            name = self.resources.constants[buffer]
            return Place(f"{name}[{self.index(register.index, register.indirect)}]", FLOAT)
        if file is File.SV:
            if register.indirect is not None:
                refuse("a system value that is chosen by an address", self.span)
            return self._with_vertex(self.ports.values[register.index], register)
        if file is File.IN or file is File.OUT:
            if register.indirect is not None:
                refuse(f"an {'input' if file is File.IN else 'output'} that is chosen by an address", self.span)
            places = self.ports.inputs if file is File.IN else self.ports.outputs
            if register.index not in places:
                refuse(f"the undeclared register {file.name}[{register.index}]", self.span)
            return self._with_vertex(places[register.index], register)
        return refuse(f"a value of file {file.name}", self.span)

    span: Span | None = None
    """Place of the instruction that is being written, for messages."""

    def _with_vertex(self, place: Place, register: RegisterRef) -> Place:
        named = place.name + "".join(place.elements)
        if "{v}" not in named:
            return place
        dimension = register.dimension
        if register.file is File.OUT and self.ports.stage is Processor.TESS_CTRL:
            vertex = self._output_vertex(register)
        elif dimension is None:
            refuse("a row of a vertex without the number of the vertex", self.span)
        else:
            vertex = self.index(dimension.index, dimension.indirect)
        elements = tuple(name.replace("{v}", vertex) for name in place.elements)
        return Place(place.name.replace("{v}", vertex), place.type, place.channels, place.is_scalar, elements, place.missing)

    def _output_vertex(self, register: RegisterRef) -> str:
        dimension = register.dimension
        if dimension is None:
            return "gl_InvocationID"
        return self.index(dimension.index, dimension.indirect)

    # Sources.

    def hold(self, operand: SrcOperand) -> None:
        """Write down the value of a source that is about to be read more than once."""
        key = self.variables.key_of(operand.register)
        if key in self._pending:
            self._write_down(key)

    def read(self, register: RegisterRef, channels: Sequence[int], wanted: str) -> Expr:
        """Channels of a register, in the register's type; literals in the requested type."""
        if register.file is File.IMM:
            words = self.program.immediates[register.index].words
            return literal([words[c] for c in channels], wanted if wanted != BOOL else UINT)
        key = self.variables.key_of(register)
        pending = self._pending.pop(key, None) if key is not None else None
        if pending is not None:
            self._reads |= pending.reads
            return swizzled(pending.value, [pending.channels.index(c) for c in channels])
        self._reads.add((register.file, register.index if key is None or key[0] != "array" else -1 - key[1]))
        return self._place(register).read(channels)

    def operand(self, operand: SrcOperand, channels: Sequence[int], kind: str, modifier: str = "") -> Expr:
        """Channels of a source, swizzled, with its modifiers, as a type; "integer" accepts both int and uint."""
        picked = [operand.swizzle[c] for c in channels]
        if len(set(picked)) == 1:
            picked = picked[:1]
        wanted = INT if kind == "integer" else kind
        if not operand.negate and not operand.absolute:
            value = self.read(operand.register, picked, wanted)
            return self._integer(value) if kind == "integer" else convert(value, kind)
        acts = modifier or wanted
        value = convert(self.read(operand.register, picked, acts), acts)
        if value.words:
            value = literal([_modified(word, operand, acts) for word in value.words], acts)
        else:
            if operand.absolute:
                value = call("abs", value)
            if operand.negate:
                value = Expr(f"-{value.within(UNARY - 1)}", value.type, value.size, UNARY)
        return value if kind == "integer" else convert(value, kind)

    def _integer(self, value: Expr) -> Expr:
        return value if value.type in (INT, UINT, BOOL) or value.words else convert(value, INT)

    def source(self, item: Instruction, number: int, kind: str, channels: Sequence[int] | None = None) -> Expr:
        """Source `number` of an instruction in the channels that it is read in."""
        if channels is None:
            mask = source_channels(item, number)
            channels = [c for c in range(4) if mask >> c & 1]
        types = item.opcode.modifier_types
        named = types[number] if number < len(types) else FLOAT
        modifier = FLOAT if named == "untyped" else named
        return self.operand(item.src[number], channels, kind, modifier)

    def variable(self, register: RegisterRef) -> Variable | None:
        """Find the facts of a register."""
        return self.variables.of(register)

    def target_type(self, item: Instruction) -> str:
        """The type of the register that an instruction writes."""
        register = item.dst[0].register
        if register.file in (File.TEMP, File.ADDR):
            variable = self.variable(register)
            return variable.type if variable is not None else FLOAT
        if register.file is File.OUT and register.index in self.ports.outputs:
            return self.ports.outputs[register.index].type
        return FLOAT

    def emit_vertex(self, statement: str) -> None:
        """Emit a vertex: outputs that become undefined in GLSL are kept in variables, and copied here."""
        self.flush()
        for place, copy in self.kept:
            if place.elements:
                for name, own in zip(place.elements, copy.elements):
                    self.line(f"{name} = {own};")
            else:
                self.line(f"{place.name} = {copy.name};")
        self.line(statement)

    # Results.

    def store(self, item: Instruction, value: Expr, number: int = 0, channels: Sequence[int] | None = None, *, keep: bool = False) -> None:
        """Write the result of an instruction: `value` has the channels of its write mask, or is a scalar for all.

        `keep`: the value stays where it is, as that of a texture does.
        """
        target = item.dst[number]
        if target.register.file is File.NULL:
            if keep:
                self.line(f"{value};")
            return
        wanted = tuple(channels) if channels is not None else tuple(c for c in range(4) if target.write_mask >> c & 1)
        if item.saturate:
            value = convert(value, FLOAT)
            value = call("clamp", value, literal((0,), FLOAT), literal((0x3F800000,), FLOAT), size=value.size)
        key = self.variables.key_of(target.register)
        variable = self.variables.by_key.get(key) if key is not None else None
        if key is not None and variable is not None and self._may_wait(key, variable, value, wanted, keep):
            value = convert(value, variable.type)
            if len(value.text) <= (MAX_INLINE if not variable.is_copied else 2 * MAX_INLINE):
                self._pending[key] = _Pending(value, wanted, frozenset(self._reads))
                return
        if key is not None and key[0] in ("TEMP", "ADDR"):
            self._settle(target.register, key)
            self._assign(key, value, wanted)
            return
        place = self._place(target.register)
        self._settle(target.register, key)
        self._put(place, value, wanted)

    def _may_wait(self, key: Key, variable: Variable, value: Expr, wanted: tuple[int, ...], keep: bool) -> bool:
        if key[0] not in ("TEMP", "ADDR") or self._has_subs or keep:
            return False
        if not (variable.is_declared_at_write and variable.writes == 1 and variable.reads == 1) or variable.mask != sum(
            1 << c for c in wanted
        ):
            return False
        return value.size == 1 or variable.read_channels == wanted or bool(value.words)

    def _settle(self, register: RegisterRef, key: Key | None) -> None:
        """Write delayed expressions that read a register before it changes."""
        changed = (register.file, register.index if key is None or key[0] != "array" else -1 - key[1])
        for other in [k for k, pending in self._pending.items() if changed in pending.reads]:
            self._write_down(other)

    def _assign(self, key: Key, value: Expr, channels: tuple[int, ...]) -> None:
        fresh = key not in self._places
        place = self.place_of(key)
        if fresh and key not in self._declared:
            self._declared.add(key)
            if value.size > 1 and channels != place.channels:  # the register has lower channels that nothing names
                self.line(f"{type_name(place.type, len(place.channels))} {place.name};")
                self._put(place, value, channels)
                return
            value = widen(convert(value, place.type), len(place.channels))
            self.line(f"{type_name(place.type, len(place.channels))} {place.name} = {value};")
            return
        self._put(place, value, channels)

    def _put(self, place: Place, value: Expr, wanted: Sequence[int]) -> None:
        indices = [n for n, c in enumerate(wanted) if c in place.channels]
        channels = [wanted[n] for n in indices]
        if not channels:
            return
        value = convert(value, place.type)
        if value.size > 1 and len(indices) < len(wanted):
            value = swizzled(value, indices)
        if place.elements:
            if len(channels) > 1 and not value.words and value.text.isidentifier() is False:
                name = self.names.give("parts")
                self.line(f"{type_name(value.type, value.size)} {name} = {value};")
                value = Expr(name, value.type, value.size)
            for n, c in enumerate(channels):
                self.line(f"{place.elements[c]} = {swizzled(value, (n,))};")
            return
        value = widen(value, len(channels))
        target = place.target(channels)
        for op in "+-*":
            if value.text.startswith(f"{target} {op} ") and _is_one_operator(value, op, len(target) + 3):
                self.line(f"{target} {op}= {value.text[len(target) + 3 :]};")
                return
        self.line(f"{target} = {value};")


def _is_one_operator(value: Expr, op: str, start: int) -> bool:
    rest = value.text[start:]
    return rest.replace(".", "").replace("_", "").isalnum() and value.level in (SUM, SUM - 1)


def _modified(word: int, operand: SrcOperand, kind: str) -> int:
    if kind == FLOAT:
        word = word & ~_SIGN if operand.absolute else word
        return word ^ _SIGN if operand.negate else word
    value = word - (1 << 32) if word >> 31 else word
    value = abs(value) if operand.absolute else value
    return (-value if operand.negate else value) & 0xFFFFFFFF
