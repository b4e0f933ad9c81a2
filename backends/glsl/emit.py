"""The entry: programs to GLSL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from backends.glsl import memory, special, textures, wide
from backends.glsl.code import Code
from backends.glsl.expressions import BOOL, EQUALITY, FLOAT, INT, UINT, Expr, chosen, convert, infix, literal, swizzled, type_name, widen
from backends.glsl.helpers import definitions
from backends.glsl.layouts import check_properties, layouts
from backends.glsl.names import Names
from backends.glsl.places import Place, refuse
from backends.glsl.resources import Resources
from backends.glsl.stages import Ports
from backends.glsl.table import INTEGER, LOGIC, RULES
from backends.glsl.variables import Variables, source_types
from backends.glsl.version import DEFAULT, Version, find_version
from backends.shader_key.layout import Layout
from frontends.programs import compile_program
from passes.analysis.regions import Block, Call, If, Jump, Loop, Region, Switch, analyse_regions, walk
from passes.fitting import fitted
from passes.optimise.split import SplitRegisters
from passes.validate import validate
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.traits import Flow, Mode, Trait
from tgsi.language.ir import Instruction
from tgsi.language.program import Program

if TYPE_CHECKING:
    from backends.shader_key.application import GivenState


def write_glsl(program: Program | str | bytes, version: str = DEFAULT, *, state: GivenState | None = None) -> str:
    """A program as GLSL that people read.

    Names in the program's interface (`Program.interface`) are kept; docs/glsl.md describes all other names.

    Args:
        program: a program of any stage but TASK and MESH, or a text or module that becomes one.
        version: the words of `#version`: "430", "440", "450", "460", "310 es" or "320 es".
        state: state, conventions, bindings and names: a `ShaderKey`, a `LoweringOptions`, or the text of either
            (``"alpha-test=GREATER:0.5,names=SAMP[0]:albedo"``).

    Raises:
        ValidationError: the program breaks a rule.
        UnsupportedError: GLSL has no words for something that the program does (B080); the message shows its place.
        TypeError, ValueError: an argument is wrong, or two resources get one binding or name.
    """
    wanted = find_version(version)
    if isinstance(program, str | bytes):
        program = compile_program(program, "write_glsl: program")
    if not isinstance(program, Program):
        raise TypeError(f"write_glsl: program: expected a Program, a text or a SPIR-V module, not {type(program).__name__}")
    validate(program)
    layout = None
    if state is not None:
        from backends.shader_key.application import with_state  # loads the passes

        program, layout = with_state(program, state, "write_glsl")
    check_properties(program, wanted)
    return Emission(SplitRegisters().run(fitted(program)), wanted, layout).text()


_JUMPS = {Flow.BREAK: "break;", Flow.CONTINUE: "continue;"}


class Emission:
    """One program on its way to GLSL. `ports` and `resources` are the declared names."""

    def __init__(self, program: Program, version: Version, layout: Layout | None = None) -> None:
        self._program, self._version = program, version
        self._regions = analyse_regions(program)
        self._variables = Variables(program, self._regions)
        self._names = Names(program, layout)
        self.ports = Ports(program, version, self._names, self._variables)
        self.resources = Resources(program, version, self._names, self._variables)
        self._code = Code(
            program, self._variables, self.ports, self.resources, self._names, has_subs=bool(self._regions.subs), version=version
        )
        self._subs = {index: self._names.give(f"sub{index}") for index in self._regions.subs}
        self._returns = any(isinstance(node, Jump) and node.kind is Flow.RETURN for node in walk(self._regions.main))
        self._are_emitted = False
        self._keep_outputs()

    def text(self) -> str:
        """The whole text."""
        code = self._code
        bodies: list[list[str]] = []
        for index, name in self._subs.items():
            bodies.append([f"void {name}()", "{", *self._body(self._regions.subs[index].body), "}"])
        main = self._body(self._regions.main)
        shared, own = (code.top, []) if self._subs else ([], code.top)
        main = ["void main()", "{", *(f"    {line}" for line in (*own, *self._zeros())), *main, "}"]
        extensions = self.ports.extensions | self.resources.extensions | code.extensions
        parts = [
            [f"#version {self._version}", *(f"#extension {name} : require" for name in sorted(extensions))],
            ["precision highp float;", "precision highp int;"] if self._version.es else [],
            [*layouts(self._program, self._version), *self.ports.lines],
            self.resources.lines,
            definitions(code.helpers),
            shared,
            [f"void {name}();" for name in self._subs.values()] if len(self._subs) > 1 else [],
            *bodies,
            main,
        ]
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n"

    @property
    def kept(self) -> list[tuple[Place, Place]]:
        """Outputs of a geometry program, and the variables that hold them between vertices."""
        return self._code.kept

    def _zeros(self) -> list[str]:
        """Outputs that not every run writes as a whole begin as 0, as in TGSI."""
        lines = []
        for index, place in self.ports.outputs.items():
            variable = self._variables.by_key.get(("OUT", index))
            if "{v}" in place.name + "".join(place.elements) or self._are_emitted:
                continue
            if variable is not None and not variable.reads and not self._returns and all(variable.surely >> c & 1 for c in place.channels):
                continue
            if place.elements:
                lines += [f"{name} = 0.0;" for name in place.elements]
            elif variable is not None or not place.name.startswith("gl_"):
                lines.append(f"{place.name} = {widen(literal((0,), place.type), len(place.channels))};")
        return lines

    def _keep_outputs(self) -> None:
        """Outputs of a geometry program keep their values after EMIT, unlike in GLSL, so variables hold them if they are used again."""
        ports = self.ports
        self._are_emitted = ports.stage is Processor.GEOM and not self._subs and _writes_before_emits(self._regions.main, ports.outputs)
        if ports.stage is not Processor.GEOM or self._are_emitted:
            return
        for index, place in ports.outputs.items():
            count = len(place.channels)
            own = self._names.give(f"kept{index}")
            copy = Place(own, place.type, place.channels)
            if place.elements:
                named = tuple(f"{own}[{n}]" for n in range(count))
                copy = Place(own, place.type, place.channels, elements=named)
                self._code.top.append(f"float {own}[{count}] = float[{count}]({', '.join(['0.0'] * count)});")
            else:
                kind = type_name(place.type, count)
                self._code.top.append(f"{kind} {own} = {widen(literal((0,), place.type), count)};")
            self._code.kept.append((place, copy))
            ports.outputs[index] = copy
        self._are_emitted = True

    def _body(self, region: Region) -> list[str]:
        code = self._code
        code.lines, code.depth = [], 1
        self._region(region)
        code.flush()
        return code.lines

    # Control flow.

    def _region(self, region: Region) -> None:
        code = self._code
        for node in region:
            match node:
                case Block():
                    for item in node.instructions:
                        self._instruction(item)
                case If():
                    code.begin()
                    code.span = node.head.span
                    condition = self._condition(node.head)
                    code.flush()
                    if len(node.then) == 1 and isinstance(node.then[0], Jump) and not node.otherwise:
                        code.line(f"if ({condition}) {_JUMPS.get(node.then[0].kind, 'return;')}")
                        continue
                    code.line(f"if ({condition}) {{")
                    self._inner(node.then)
                    if node.otherwise:
                        code.line("} else {")
                        self._inner(node.otherwise)
                    code.line("}")
                case Loop():
                    code.flush()
                    code.line("while (true) {")
                    self._inner(node.body)
                    code.line("}")
                case Switch():
                    self._switch(node)
                case Jump():
                    code.flush()
                    code.line(_JUMPS.get(node.kind, "return;"))
                case Call():
                    code.flush()
                    code.line(f"{self._subs[node.sub]}();")

    def _inner(self, region: Region) -> None:
        self._code.depth += 1
        self._region(region)
        self._code.flush()
        self._code.depth -= 1

    def _condition(self, head: Instruction) -> Expr:
        wanted = head.opcode.src_types[0]
        operand = head.src[0]
        if operand.negate or operand.absolute:
            value = self._code.source(head, 0, FLOAT if wanted == FLOAT else UINT)
        else:
            value = self._code.read(operand.register, (operand.swizzle[0],), wanted)
            if value.type == BOOL:
                return value
            if wanted == FLOAT or value.type == FLOAT:
                value = convert(value, FLOAT if wanted == FLOAT else UINT)
        return infix("!=", EQUALITY, value, literal((0,), value.type), BOOL)

    def _switch(self, node: Switch) -> None:
        code = self._code
        code.begin()
        code.span = node.head.span
        value = code.source(node.head, 0, INTEGER)
        if value.type == BOOL:
            value = convert(value, INT)
        code.flush()
        code.line(f"switch ({value}) {{")
        for arm in node.arms:
            code.span = arm.head.span
            if arm.is_default:
                if arm is not node.arms[-1] and not _leaves(arm.body):
                    refuse("a DEFAULT that falls into a CASE", arm.head.span)
                code.line("default: {")
            else:
                if arm.head.src[0].register.file is not File.IMM:
                    refuse("a CASE that is not an immediate", arm.head.span)
                code.line(f"case {code.source(arm.head, 0, value.type)}: {{")
            self._inner(arm.body)
            code.line("}")
        if not node.arms:
            code.line("default: break;")
        code.line("}")

    # Instructions.

    def _instruction(self, item: Instruction) -> None:
        code, name = self._code, item.opcode.name
        code.begin()
        code.span = item.span
        if item.opcode.has_no_effect:
            return
        rule = RULES.get(name)
        if rule is not None:
            if item.dst[0].register.file is not File.NULL:
                self._compute(item)
        elif item.opcode.is_copy:
            self._move(item)
        elif item.opcode.is_texture:
            textures.emit(code, item)
        elif item.opcode.has_memory:
            memory.emit(code, item)
        elif item.opcode.uses_64bit:
            wide.emit(code, item)
        elif name in special.EMITTERS:
            special.EMITTERS[name](code, item)
        else:
            refuse(f"the opcode {name}", item.span)

    def _move(self, item: Instruction) -> None:
        kind = self._code.target_type(item)
        value = self._code.source(item, 0, FLOAT if item.saturate else kind)
        self._code.store(item, value)

    def _compute(self, item: Instruction) -> None:
        code, rule, name = self._code, RULES[item.opcode.name], item.opcode.name
        if name in LOGIC:
            bools = [self._variables.is_bool(item, number) for number in range(len(item.src))]
            if all(bools) and self._variables.gives_bool(item):
                result = rule.make(*(code.source(item, number, BOOL) for number in range(len(item.src))))
                return code.store(item, result)
            if name == "AND" and any(bools) and not all(bools):
                return self._masked(item, bools.index(True))
        types = source_types(item)
        if INTEGER in types:
            values = self._integers(item, types)
        else:
            values = [code.source(item, number, kind) for number, kind in enumerate(types)]
        result = rule.make(*values)
        if rule.helper and result.text.startswith(rule.helper):
            code.helpers.add((rule.helper, result.type, result.size))
        if item.opcode.mode is Mode.CHANNEL_DEPENDENT:
            mask = item.dst[0].write_mask
            result = swizzled(result, [c for c in range(4) if mask >> c & 1])
        return code.store(item, result)

    def _masked(self, item: Instruction, bool_source: int) -> None:
        """A comparison and bits: the bits where it holds."""
        code = self._code
        kind = code.target_type(item)
        kind = kind if kind != BOOL else UINT
        condition = code.source(item, bool_source, BOOL)
        value = code.source(item, 1 - bool_source, kind)
        self._select(item, condition, value, literal((0,), kind))

    def _select(self, item: Instruction, condition: Expr, yes: Expr, no: Expr) -> None:
        if condition.size > 1 and yes.type != FLOAT and not self._version.mixes_integers:
            self._code.extensions.add("GL_EXT_shader_integer_mix")
        self._code.store(item, chosen(condition, yes, no))

    def _integers(self, item: Instruction, types: tuple[str, ...]) -> list[Expr]:
        """Sources for which int and uint are equivalent, in the type of the first register."""
        code = self._code
        target = code.target_type(item)
        kind = target if target in (INT, UINT) else ""
        if not kind:
            known = [v.type for operand in item.src if (v := code.variable(operand.register)) is not None]
            kind = next((word for word in known if word in (INT, UINT)), INT)
        return [code.source(item, number, kind if word == INTEGER else word) for number, word in enumerate(types)]


def _writes_before_emits(region: Region, outputs: Mapping[int, Place]) -> bool:
    """True if all outputs are written between the begin of a block, or an EMIT, and the next EMIT of the block."""
    wanted = {(index, c) for index, place in outputs.items() for c in place.channels}
    for node in walk(region):
        if not isinstance(node, Block):
            continue
        done: set[tuple[int, int]] = set()
        for item in node.instructions:
            if any(operand.register.file is File.OUT for operand in item.src):
                return False
            if Trait.EMIT in item.opcode.traits:
                if not wanted <= done:
                    return False
                done = set()
            for target in item.dst:
                if target.register.file is File.OUT:
                    done |= {(target.register.index, c) for c in range(4) if target.write_mask >> c & 1}
    return True


def _leaves(region: Region) -> bool:
    return bool(region) and isinstance(region[-1], Jump)
