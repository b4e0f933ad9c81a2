"""TGSI to generated code: one program, all lanes at once."""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, F32, Function, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.masks import MaskVar
from backends.llvm.builder.scratch import Scratch
from backends.llvm.library.math import canonical
from backends.llvm.program.access import channel_of, channels, source_types
from backends.llvm.program.nan_bits import ALL, Place, nan_bits
from backends.llvm.program.plan import plan_of
from backends.llvm.program.tree import Leaf, Region
from backends.llvm.translate import emit as registry
from backends.llvm.translate.barriers import Barriers
from backends.llvm.translate.flow import FlowBuilder
from backends.llvm.translate.fuel import Rounds
from backends.llvm.translate.interface import Consumed, Interface
from backends.llvm.translate.operands import Operands, SourceVector
from backends.llvm.translate.pairs import emit_pairs
from passes.analysis.operands import RESOURCES
from passes.analysis.regions import FUEL
from tgsi.language import budgets
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.opcodes import Mode
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import Instruction
from tgsi.language.program import Program

__all__ = ["Interface", "LaneMap", "Outputs", "translate"]


class Outputs:
    """Results of a translated program; valid at the end of its code."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator

    def get(self, register: int, channel: int) -> Val:
        """A channel of an OUT register, f32 lanes; 0 if it was never written."""
        return self._translator.final_output(register, channel)

    @property
    def alive(self) -> Val:
        """Lanes that were not killed, as an i1 vector. Lanes outside of the given mask count as alive."""
        return self._translator.alive_mask()

    @property
    def exhausted(self) -> Val | None:
        """Vector of i32, -1 in lanes that ran out of fuel in a loop; None if reports were not requested or the program has no loop."""
        spent = self._translator.flow.spent
        return spent.get() if spent is not None else None


class Translator:
    """The translation of a program, which is the Context of emitters."""

    instruction: Instruction
    leaf: Leaf
    region: Region
    exact: int

    def __init__(
        self, f: Function, program: Program, interface: Interface, mask: Val | None, rounds: Rounds, barriers: Barriers | None
    ) -> None:
        self.f, self.program, self.interface = f, program, interface
        self.lane_map = interface.lane_map
        self.lanes = self.lane_map.lanes
        self.plan = plan_of(program)
        self.scratch = Scratch(f, self.lanes)
        self.ahead: dict[Leaf, Val] = {}
        self.bits = nan_bits(program, interface.exposed_outputs() if isinstance(interface, Consumed) else ALL)
        self._numbers = {id(instruction): number for number, instruction in enumerate(self.plan.instructions)}
        self.operands = Operands(f, program, self.plan, interface, self.bits, barriers)
        self.alive: MaskVar | None = None
        if self.plan.kills:
            self.alive = MaskVar(f, self.lanes)
            self.alive.set(True)
        covered = mask
        if mask is not None and program.processor is Processor.FRAG:
            covered = self.lane_map.widen(f, mask)  # whole quads, as derivatives need them
        self.flow = FlowBuilder(f, self.plan, self.lanes, covered, self.condition, self.emit, self.operands, rounds, barriers)
        if barriers is not None:
            barriers.begin()

    def condition(self, instruction: Instruction) -> Val:
        """Channel x of the only source, which IF, UIF, SWITCH and CASE test."""
        return self.operands.fetch(instruction, instruction.src[0], 0, instruction.opcode.src_types[0])

    def execution_mask(self) -> Val:
        """The lanes that execute the current instruction."""
        mask, present = self.flow.execution_mask(), self.operands.present
        return mask if present is None else mask & present

    # -- instructions -----------------------------------------------------------------------------------------------
    def emit(self, leaf: Leaf) -> None:
        """Generate one instruction that is not control flow."""
        budgets.check()
        instruction = leaf.instruction
        self.instruction, self.leaf = instruction, leaf
        self.exact = self.bits.results.get(self._numbers[id(instruction)], 0)
        variables = len(self.f.variables)
        self.scratch.release()
        if Trait.KILL in instruction.opcode.traits:
            self.kill(self._any_negative(instruction) if instruction.src else None)
        else:
            self.region = leaf.region
            emitter = registry.emitter_of(instruction)
            if instruction.opcode.uses_64bit:
                emit_pairs(self, instruction, emitter)
            else:
                values = self.results(instruction, emitter)
                if self.exact and instruction.opcode.computes_floats:
                    values = {channel: self.canonical(value, 1 << channel) for channel, value in values.items()}
                self.write(instruction, 0, values, instruction.saturate)
        del self.f.variables[variables:]  # the emitter's own variables are dead after the instruction

    def results(self, instruction: Instruction, emitter: registry.Emitter) -> dict[int, Val]:
        """Values of all written channels, which are computed before the first is stored."""
        opcode = instruction.opcode
        in_registers = bool(instruction.dst) and instruction.dst[0].register.file not in RESOURCES and not opcode.stores_to_dst
        wanted = channels(instruction.dst[0].write_mask) if in_registers else []
        if opcode.mode is Mode.COMPONENTWISE:
            done: dict[tuple[int, ...], Val] = {}
            values: dict[int, Val] = {}
            types = source_types(instruction)
            for channel in wanted:
                places = [channel_of(instruction, number, channel) for number in range(len(types))]
                key = tuple(operand.swizzle[place] for operand, place in zip(instruction.src, places))
                if key not in done:
                    sources = zip(instruction.src, places, types)
                    done[key] = emitter(self, *(self.operands.fetch(instruction, *source) for source in sources))
                values[channel] = done[key]
            return values
        vectors = [
            None if operand.register.file in RESOURCES else SourceVector(self.operands, instruction, number)
            for number, operand in enumerate(instruction.src)
        ]
        if opcode.mode is Mode.REPLICATE:
            value = emitter(self, *vectors) if wanted else None
            return {channel: value for channel in wanted if value is not None}
        if opcode.mode is Mode.CHANNEL_DEPENDENT:
            return {channel: emitter(self, channel, *vectors) for channel in wanted}
        produced = emitter(self, *vectors)
        return {channel: produced[channel] for channel in wanted}

    def canonical(self, value: Val, channels: int) -> Val:
        """A float result of the current instruction, with canonical NaNs if the exact bits of any of the channels (a mask) matter."""
        return canonical(self.f, value) if self.exact & channels and value.type.kind == "f" else value

    def write(self, instruction: Instruction, number: int, values: dict[int, Val], saturate: bool) -> None:
        """Store channels of destination `number`. `saturate`: clamp each word as a float."""
        if not instruction.dst:
            return
        register = instruction.dst[number].register
        place = self.operands.find(instruction, register)
        done: dict[str, Val] = {}
        row: dict[int, Val] = {}
        for channel, value in values.items():
            if saturate:
                if value.name not in done:
                    done[value.name] = self._saturated(value)
                value = done[value.name]
            if register.file in self.operands.rows:
                row[channel] = value
                continue
            masked = self.plan.flow.is_masked(self.region, (register.file, register.index, channel))
            self.operands.write(instruction, register, place, channel, value, self.flow.active, masked)
        if row:
            self.operands.write_row(register, place, row, self.flow.active)

    def _saturated(self, value: Val) -> Val:
        """Word clamped as a float to [0, 1]; NaN and -0 pass unchanged."""
        f, x = self.f, value.as_float()
        return f.select(x < 0.0, 0.0, f.select(x > 1.0, 1.0, x))

    # -- life and results -------------------------------------------------------------------------------------------
    def _any_negative(self, instruction: Instruction) -> Val:
        source = SourceVector(self.operands, instruction, 0)
        places = {instruction.src[0].swizzle[c]: c for c in range(4)}
        tests = [source[c] < 0.0 for c in places.values()]
        result = tests[0]
        for test in tests[1:]:
            a, b = self.f.same(result, test)
            result = a | b
        return self.f.splat(result, self.lanes)

    def kill(self, wanted: Val | None) -> None:
        """Kill the active lanes, or those of them in `wanted`. Killed lanes continue to compute."""
        assert self.alive is not None
        active = self.flow.active
        self.alive.remove(active if wanted is None else wanted if active is None else active & wanted)

    def alive_mask(self) -> Val:
        """Lanes that were not killed, as an i1 vector."""
        return self.alive.get() if self.alive is not None else self.f.const(BOOL.wide(self.lanes), 1)

    def output(self, register: int, channel: int) -> Val:
        """Channel of an OUT register in the form of an emitted vertex, f32 lanes."""
        return self._output(register, channel, self.bits.emitted.get(self._numbers[id(self.instruction)], frozenset()))

    def final_output(self, register: int, channel: int) -> Val:
        """Channel of an OUT register at the end of the program, f32 lanes."""
        return self._output(register, channel, self.bits.outputs)

    def _output(self, register: int, channel: int, exact: frozenset[Place]) -> Val:
        value = self._stored(register, channel)
        return canonical(self.f, value) if (register, channel) in exact else value

    def _stored(self, register: int, channel: int) -> Val:
        if File.OUT in self.operands.rows:
            return self.operands.rows[File.OUT].load(None, register, channel, (0, register + 1)).as_float()
        for array in self.operands.arrays.get(File.OUT, ()):
            if array.covers(register):
                return array.load(register, channel).as_float()
        key = (File.OUT, register, channel)
        value, variable = self.operands.straight.get(key), self.operands.variables.get(key)
        if value is None:
            value = variable.get() if variable is not None else self.f.const(F32, 0)
        return self.f.splat(value.as_float(), self.lanes)


def translate(
    f: Function,
    program: Program,
    interface: Interface,
    mask: Val | None = None,
    *,
    fuel: int = FUEL,
    barriers: Barriers | None = None,
    reports: bool = False,
) -> Outputs:
    """Generate the code of a validated program at the current place of `f`.

    mask: lanes whose results count (i1 lanes; None: all). Other lanes compute, too, for derivatives, but control flow does not wait for
    quads without a counted lane. fuel: rounds of a lane in an outermost loop, inner loops included. reports: lanes that ran out of fuel
    are marked in the outputs. barriers: the barriers of `f`, for programs with BARRIER.

    Raises UnsupportedError, whose message names the instruction, for a program that cannot be generated.
    """
    translator = Translator(f, program, interface, mask, Rounds(fuel, reports, lambda: interface.env), barriers)
    translator.flow.run()
    return Outputs(translator)
