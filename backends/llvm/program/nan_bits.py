"""The places where a program can observe the bits of a computed NaN, which must be canonical there.

Processors differ in these bits, and the order in which LLVM places operands depends on lanes and level. Code whose bits cannot be observed
costs nothing. The analysis covers every path of a lane:

* Forward: a channel may hold a result of float arithmetic ("loose"), or any other word ("raw"), such as an integer that looks like a NaN.
* The bits of a channel are used by integer opcodes, by memory, as outputs whose bits leave the kernel, and by opcodes that pass them on to
  such a use (`Trait.PICKS`).
* A used channel that may be loose and is never raw becomes canonical where it is used, after the loop that computed it. If it may be
  either, it becomes canonical where arithmetic writes it (backward from the use), so that raw words keep their bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cache

from passes.analysis import facts
from passes.analysis.access import results
from passes.analysis.graph import flow_graph
from passes.analysis.liveness import Channels
from passes.analysis.uses import KEPT, index_reads
from tgsi.language.channels import read_mask, source_channels, swizzled
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcode_row import WIDE, OpcodeInfo
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

ALL = -1
"""All OUT registers."""

Place = tuple[int, int]
"""Register and channel."""

_AS_BOUND = frozenset({Trait.FILTER, Trait.INTERPOLATE})
"""Opcodes that return stored or computed words depending on bound state; their emitters handle NaNs."""

_ANY = 15


@cache
def _is_loose(opcode: OpcodeInfo) -> bool:
    """True if the opcode's code may return a NaN with arbitrary bits."""
    if Trait.QUERY in opcode.traits:
        return False
    return not _AS_BOUND.isdisjoint(opcode.traits) or (opcode.computes_floats and Trait.EXACT_NAN not in opcode.traits)


@cache
def _is_raw(opcode: OpcodeInfo) -> bool:
    """True if a result may be a word not computed by float arithmetic, or half of a double, which can be any word."""
    return Trait.PICKS not in opcode.traits and (not opcode.computes_floats or opcode.dst_types[0] == "double")


@cache
def _picked(opcode: OpcodeInfo) -> tuple[int, ...]:
    """Sources whose bits may become the result; the first of three, as in CMP, only selects."""
    if Trait.PICKS not in opcode.traits:
        return ()
    return tuple(k for k, kind in enumerate(opcode.src_types) if kind not in ("int", "uint") and (k or opcode.num_src < 3))


@record(kw_only=True)
class NanBits:
    """Results of the analysis. Instructions are named by number, channels of a register by a mask.

    results: channels of the first destination that become canonical when they are written. sources: operands whose register's channels
    become canonical when they are read. inputs: channels of IN registers whose exact bits matter. emitted, outputs: channels of OUT
    registers that become canonical when a vertex is emitted, and at the end of the program.
    """

    results: Mapping[int, int] = field(default_factory=dict)
    sources: Mapping[int, Mapping[SrcOperand, int]] = field(default_factory=dict)
    inputs: frozenset[Place] = frozenset()
    emitted: Mapping[int, frozenset[Place]] = field(default_factory=dict)
    outputs: frozenset[Place] = frozenset()


def nan_bits(program: Program, outputs: int = ALL) -> NanBits:
    """The results for a validated program, computed once. outputs: bit r is set if the bits of OUT register r leave the kernel."""
    return facts.of(program, _analyse, outputs)


def relevant_outputs(program: Program, outputs: int) -> int:
    """`outputs`, or 0 if the code is the same, assuming that inputs are uninterpreted words: a part of the key of a vertex kernel."""
    if not outputs:
        return 0
    bits, none = (replace(nan_bits(program, chosen), inputs=frozenset()) for chosen in (outputs, 0))
    return outputs if bits != none else 0


def _analyse(program: Program, outputs: int) -> NanBits:
    return _Analysis(program, outputs).answer()


def _written(item: Instruction, target: DstOperand, kind: str) -> int:
    """Channels of a destination that may be written: of 64-bit results, whole pairs."""
    mask = target.write_mask
    if kind not in WIDE or not item.opcode.uses_64bit:
        return mask
    return (3 if mask & 3 else 0) | (12 if mask & 12 else 0)


def _is_in_place(item: Instruction, source: int) -> bool:
    """True if a source is read as doubles in xy or zw of its register."""
    if item.opcode.src_types[source : source + 1] != ("double",):
        return False
    swizzle, mask = item.src[source].swizzle, source_channels(item, source)
    return all(swizzle[2 * pair : 2 * pair + 2] in ((0, 1), (2, 3)) for pair in (0, 1) if mask >> 2 * pair & 3)


def _union(sets: Iterable[int]) -> int:
    union = 0
    for one in sets:
        union |= one
    return union


@record(frozen=False)
class _Effect:
    """One instruction. used: by operand number, the register channels whose bits it uses; other: the same of index registers, as a set."""

    may: int
    sure: int
    mask: int
    shift: int | None
    used: tuple[tuple[int, int], ...]
    other: int


class _Analysis:
    def __init__(self, program: Program, outputs: int) -> None:
        self.program = program
        self.channels = Channels(program, (*KEPT, File.IN))
        self.graph = flow_graph(program)
        self.given = self.channels.of_file(File.IN)
        self.leaving = self.channels.of_file(File.OUT, outputs)
        self.doubles, self.whole = self._doubles()
        self.effects = [self._effect(item) for item in program.instructions]
        self.pinned = self._pinned()
        self.states = [(0, 0)] * len(program.instructions)  # raw and loose channels before each instruction
        self.ends = (0, 0)

    def _doubles(self) -> tuple[int, int]:
        """Channels that may hold half of a computed double, and the subset used only by opcodes on doubles, always in place."""
        written = otherwise = 0
        for item in self.program.instructions:
            for target, kind in zip(results(item), item.opcode.dst_types):
                cells = self.channels.cells(target.register, _written(item, target, kind))
                written |= cells if kind == "double" else 0
                otherwise |= cells if kind != "double" else 0
            for number, operand in enumerate(item.src):
                if not _is_in_place(item, number):
                    otherwise |= self.channels.cells(operand.register, read_mask(item, number))
        return written, written & ~otherwise

    def _effect(self, item: Instruction) -> _Effect:
        opcode, cells = item.opcode, self.channels.cells
        may = sure = 0
        for target, kind in zip(results(item), opcode.dst_types):
            register = target.register
            may |= cells(register, _written(item, target, kind))
            has_row = register.file is File.OUT and register.dimension is not None
            if register.indirect is None and not has_row and not opcode.uses_64bit:
                sure |= cells(register, target.write_mask)
        is_one = len(item.dst) == 1 and may and item.dst[0].register.indirect is None
        used, other = [], 0
        for number, operand in enumerate(item.src[: opcode.num_src]):
            mask, kind = read_mask(item, number), opcode.src_types[number]
            if kind == "double":
                is_used = bool(cells(operand.register, mask) & ~self.whole)
            elif kind == "float":
                is_used = bool(cells(operand.register, mask) & self.doubles)
            else:
                is_used = number not in _picked(opcode) and bool(cells(operand.register, mask))
            if is_used:
                used.append((number, mask))
            other |= self._indices(operand.register)
        for destination in item.dst:
            other |= self._indices(destination.register)
            if opcode.stores_to_dst:
                other |= cells(destination.register, 1)
        for offset in item.offsets:
            other |= cells(offset.register, _ANY) | self._indices(offset.register)
        shift = self.channels.shift(item.dst[0].register) if is_one else None
        mask = _written(item, item.dst[0], opcode.dst_types[0]) if opcode.dst_types and item.dst else 0
        return _Effect(may, sure, mask, shift, tuple(used), other)

    def _indices(self, register: RegisterRef) -> int:
        return _union(self.channels.of(access) for access in index_reads(register))

    def _pinned(self) -> int:
        """Channels that lanes on other paths may read."""
        pinned = self.channels.outputs if File.OUT in STAGES[self.program.processor].vertex_rows else 0
        for item in self.program.instructions:
            if Trait.SUBGROUP in item.opcode.traits:
                pinned |= _union(self.channels.cells(operand.register, _ANY) for operand in item.src)
        return pinned

    # -- forward ----------------------------------------------------------------------------------------------------
    def _after(self, number: int, raw: int, loose: int) -> tuple[int, int]:
        item, effect = self.program.instructions[number], self.effects[number]
        if not effect.may:
            return raw, loose
        new_raw = effect.may if _is_raw(item.opcode) else 0
        new_loose = effect.may if _is_loose(item.opcode) else 0
        for source in _picked(item.opcode):
            operand = item.src[source]
            for channel in range(4):
                if effect.mask >> channel & 1:
                    is_raw, is_loose = self._state(operand, self._handed(item, operand, channel), raw, loose)
                    target = effect.may if effect.shift is None else effect.may & 1 << effect.shift + channel
                    # A changed sign, or half of a double, is not the canonical NaN.
                    is_other = is_raw or operand.negate or operand.absolute or item.opcode.uses_64bit
                    new_raw |= target if is_other else 0
                    new_loose |= target if is_loose else 0
        return raw & ~effect.sure | new_raw, loose & ~effect.sure | new_loose

    def _handed(self, item: Instruction, operand: SrcOperand, channel: int) -> int:
        """Channels of a picked source's register that may become channel `channel` of the result."""
        return swizzled(operand.swizzle, _ANY if item.opcode.uses_64bit else 1 << channel)

    def _state(self, operand: SrcOperand, mask: int, raw: int, loose: int) -> tuple[bool, bool]:
        """Two truths: whether channels of a register may be raw, and whether they may be loose."""
        register = operand.register
        if cells := self.channels.cells(register, mask):
            return bool(cells & raw), bool(cells & loose)
        if register.file is not File.IMM or register.indirect is not None or register.index >= len(self.program.immediates):
            return True, False
        words = self.program.immediates[register.index].words
        return any(words[c] & 0x7FFFFFFF > 0x7F800000 for c in range(4) if mask >> c & 1), False

    def _solve_forward(self) -> None:
        blocks, successors = self.graph.blocks, self.graph.successors
        before = [(self.given, self.given)] * len(blocks)
        waiting, queued = list(reversed(range(len(blocks)))), set(range(len(blocks)))
        ends: dict[int, tuple[int, int]] = {}
        while waiting:
            block = waiting.pop()
            queued.discard(block)
            raw, loose = before[block]
            for number in blocks[block]:
                self.states[number] = raw, loose
                raw, loose = self._after(number, raw, loose)
            ends[block] = raw, loose
            for successor in successors[block]:
                joined = before[successor][0] | raw, before[successor][1] | loose
                if joined != before[successor]:
                    before[successor] = joined
                    if successor not in queued:
                        queued.add(successor)
                        waiting.append(successor)
        last = [ends[block] for block in self.graph.exits]
        self.ends = _union(raw for raw, _ in last), _union(loose for _, loose in last)

    # -- backward ---------------------------------------------------------------------------------------------------
    def _split(self, operand: SrcOperand, mask: int, state: tuple[int, int]) -> tuple[int, int]:
        """Split the used channels of a source's register into a mask to make canonical here and a set to make canonical at its writes."""
        raw, loose = state
        here = before = 0
        for channel in range(4):
            cells = self.channels.cells(operand.register, mask & 1 << channel)
            if cells & loose and cells & (raw | self.pinned):
                before |= cells & loose
            elif cells & loose:
                here |= 1 << channel
        return here, before

    def _wanted(self, number: int, exact: int) -> int:
        """Channels of the first destination that must be canonical after an instruction."""
        effect = self.effects[number]
        if not effect.may & exact:
            return 0
        return effect.mask if effect.shift is None else effect.mask & exact >> effect.shift

    def _before(self, number: int, exact: int, sources: dict[int, dict[SrcOperand, int]] | None = None) -> int:
        """The set that must be canonical before an instruction, from the set after it. sources: where to note channels for this place."""
        item, effect, state = self.program.instructions[number], self.effects[number], self.states[number]
        uses = list(effect.used)
        wanted = self._wanted(number, exact)
        if wanted:
            for source in _picked(item.opcode):
                handed = _union(self._handed(item, item.src[source], c) for c in range(4) if wanted >> c & 1)
                uses.append((source, handed))
        exact = exact & ~effect.sure | effect.other & state[1] | self.pinned
        if Trait.EMIT in item.opcode.traits:
            exact |= self.channels.outputs & state[1] & (state[0] | self.pinned)
        for source, mask in uses:
            operand = item.src[source]
            here, before = self._split(operand, mask, state)
            exact |= before
            if here and item.opcode.uses_64bit:  # words of pairs are read without a conversion
                exact |= self.channels.cells(operand.register, here) & state[1]
            elif here and sources is not None:
                noted = sources.setdefault(number, {})
                noted[operand] = noted.get(operand, 0) | here
        return exact

    def answer(self) -> NanBits:
        self._solve_forward()
        blocks, successors = self.graph.blocks, self.graph.successors
        raw, loose = self.ends
        at_end = self.leaving & loose & ~(raw | self.pinned)
        last = self.pinned | self.leaving & loose & raw
        predecessors: list[list[int]] = [[] for _ in blocks]
        for block, following in enumerate(successors):
            for successor in following:
                predecessors[successor].append(block)
        before, after = [self.pinned] * len(blocks), [self.pinned] * len(blocks)
        for block in self.graph.exits:
            after[block] |= last
        waiting, queued = list(range(len(blocks))), set(range(len(blocks)))
        while waiting:
            block = waiting.pop()
            queued.discard(block)
            exact = after[block]
            for number in reversed(blocks[block]):
                exact = self._before(number, exact)
            if exact != before[block]:
                before[block] = exact
                for predecessor in predecessors[block]:  # the end of a subroutine has a successor for each call
                    if exact & ~after[predecessor]:
                        after[predecessor] |= exact
                        if predecessor not in queued:
                            queued.add(predecessor)
                            waiting.append(predecessor)
        return self._noted(after, _union(before), at_end)

    def _noted(self, after: list[int], first: int, at_end: int) -> NanBits:
        written: dict[int, int] = {}
        sources: dict[int, dict[SrcOperand, int]] = {}
        emitted: dict[int, frozenset[Place]] = {}
        for block, exact in zip(self.graph.blocks, after):
            for number in reversed(block):
                opcode, (raw, loose) = self.program.instructions[number].opcode, self.states[number]
                wanted = self._wanted(number, exact)
                if wanted and _is_loose(opcode):
                    written[number] = wanted
                if Trait.EMIT in opcode.traits:
                    emitted[number] = self.channels.places(File.OUT, loose & ~(raw | self.pinned))
                exact = self._before(number, exact, sources)
        return NanBits(
            results=written,
            sources=sources,
            inputs=self.channels.places(File.IN, first),
            emitted={number: places for number, places in emitted.items() if places},
            outputs=self.channels.places(File.OUT, at_end),
        )
