"""Rounds of loops with constant counters, because short loops need neither fuel nor polling."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import islice

from backends.llvm.program.access import Key, access, channel_of
from backends.llvm.program.tree import Control, Leaf, Region, leaves
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Flow, Mode, Trait
from tgsi.language.ir import Instruction, SrcOperand
from tgsi.language.program import Program

MOST = 1 << 8
"""Most rounds of a short loop."""

_MOST_LEAVES = 1 << 9
"""Most instructions that are examined in a loop and before it."""

_COUNTERS = (File.TEMP, File.ADDR)


def short_loops(program: Program, main: Region, memory: Container[tuple[File, int]]) -> dict[Control, int]:
    """Outermost loops that end within `MOST` rounds, including inner loops, and a bound of their rounds.

    memory: registers that are addressed at run time.
    """
    return {} if not _has_loops(main) else dict(_Search(program, memory).region(main))


def _has_loops(main: Region) -> bool:
    return any(isinstance(item, Control) and (item.kind == "loop" or any(map(_has_loops, item.arms))) for item in main.items)


class _Search:
    def __init__(self, program: Program, memory: Container[tuple[File, int]]) -> None:
        self._immediates, self._memory = program.immediates, memory
        self._legacy = bool(program.property("MUL_ZERO_WINS") or program.property("LEGACY_MATH_RULES"))

    def region(self, region: Region) -> Iterator[tuple[Control, int]]:
        """The short loops among the outermost ones of a region."""
        before: list[Leaf | Control] = []
        for item in region.items:
            if isinstance(item, Control):
                if item.kind != "loop":
                    for arm in item.arms:
                        yield from self.region(arm)
                elif (rounds := self._rounds(item, before)) is not None:
                    yield item, rounds
            before.append(item)

    def _rounds(self, loop: Control, before: Sequence[Leaf | Control]) -> int | None:
        """A bound of the rounds of a loop and of the loops inside, or None. before: the items before it in its region."""
        body = loop.arms[0]
        if sum(1 for _ in islice(leaves(body), _MOST_LEAVES)) == _MOST_LEAVES or _continues(body):
            return None
        inside = 1
        for inner, ahead in _loops(body):
            rounds = self._rounds(inner, ahead)
            if rounds is None or inside + rounds > MOST:
                return None
            inside += rounds
        for place, item in enumerate(body.items):
            breaks = _break_of(item)
            if breaks is not None:
                assert isinstance(item, Control)
                rounds = self._until(body, place, item.instruction, breaks, before, MOST // inside)
                if rounds is not None:
                    return rounds * inside
        return None

    def _until(self, body: Region, place: int, head: Instruction, breaks: bool, before: Sequence[Leaf | Control], most: int) -> int | None:
        """The number of repetitions before an exit is taken, or None if unknown or more than `most`.

        place, head: of the IF; breaks: its outcome that leaves the loop. Lanes that repeat have run all instructions of the body itself.
        """
        result = self._key(head.src[0], 0)
        test = None if result is None else _last_writer(result, body.items[:place])
        if result is None or test is None or not self._is_computed(test):
            return None
        keys = {self._key(operand, channel_of(test, number, result[2])) for number, operand in enumerate(test.src)} - {None}
        counter = next(iter(keys)) if len(keys) == 1 else None
        if counter is None or counter[:2] in self._memory:
            return None
        steps = [leaf.instruction for leaf in leaves(body) if counter in access(leaf.instruction).writes]
        begin = _last_writer(counter, before)
        if begin is None or len(steps) != 1 or not self._is_computed(begin) or not self._is_computed(steps[0]):
            return None
        own = [id(item.instruction) for item in body.items if isinstance(item, Leaf)]
        if id(steps[0]) not in own:
            return None
        is_late = own.index(id(steps[0])) < own.index(id(test))  # the test sees the counter of the next round
        value = self._value(begin, counter, {})
        for rounds in range(most + 1):
            after = None if value is None else self._value(steps[0], counter, {counter: value})
            tested = after if is_late else value
            word = None if tested is None else self._value(test, result, {counter: tested})
            if word is None:
                return None
            if _is_true(head, word) == breaks:
                return rounds
            value = after
        return None

    def _key(self, operand: SrcOperand, channel: int) -> Key | None:
        """The register channel of an operand's channel, if it may be a counter."""
        register = operand.register
        if register.file not in _COUNTERS or register.indirect is not None or register.dimension is not None:
            return None
        return None if (register.file, register.index) in self._memory else (register.file, register.index, operand.swizzle[channel])

    def _is_computed(self, instruction: Instruction) -> bool:
        opcode = instruction.opcode
        if len(instruction.dst) != 1 or opcode.mode is not Mode.COMPONENTWISE or not opcode.is_computed:
            return False
        return not (self._legacy and Trait.PRODUCT in opcode.traits)

    def _value(self, instruction: Instruction, key: Key, known: dict[Key, int]) -> int | None:
        """The word that an instruction writes to a channel."""
        from passes.optimise.evaluate import evaluate

        sources = []
        for number, operand in enumerate(instruction.src):
            register, channel = operand.register, channel_of(instruction, number, key[2])
            if register.indirect is not None or register.dimension is not None:
                return None
            word = known.get((register.file, register.index, operand.swizzle[channel]))
            if register.file is File.IMM:
                word = self._immediates[register.index].words[operand.swizzle[channel]]
            if word is None:
                return None
            sources.append((word,) * 4)
        value = evaluate(instruction, sources)
        return None if value is None else value.get(key[2])


def _is_true(head: Instruction, word: int) -> bool:
    """True if an IF or UIF takes its first arm."""
    from passes.optimise.evaluate import modified, to_float

    operand, opcode = head.src[0], head.opcode
    word = modified(word, opcode.modifier_types[0], operand.negate, operand.absolute)
    return to_float(word) != 0.0 if opcode.src_types[0] == "float" else word != 0


def _last_writer(key: Key, items: Sequence[Leaf | Control]) -> Instruction | None:
    """The last instruction of `items` that writes a channel.

    None if it is not near the end, or inside an IF or a loop.
    """
    room = _MOST_LEAVES
    for item in islice(reversed(items), _MOST_LEAVES):
        if isinstance(item, Leaf):
            room -= 1
            if key in access(item.instruction).writes:
                return item.instruction
        else:
            for leaf in (leaf for arm in item.arms for leaf in leaves(arm)):
                room -= 1
                if room < 0 or key in access(leaf.instruction).writes:
                    return None
        if room < 0:
            return None
    return None


def _break_of(item: Leaf | Control) -> bool | None:
    """The outcome with which an IF of a loop's body leaves the loop, or None."""
    if isinstance(item, Leaf) or item.kind != "if":
        return None
    for outcome, arm in zip((True, False), item.arms):
        if arm.items and all(isinstance(part, Leaf) for part in arm.items):
            last = arm.items[-1]
            if isinstance(last, Leaf) and last.instruction.opcode.flow is Flow.BREAK:
                return outcome
    return None


def _loops(region: Region) -> Iterator[tuple[Control, list[Leaf | Control]]]:
    """The outermost loops of a region, each with the items before it in its own region."""
    before: list[Leaf | Control] = []
    for item in region.items:
        if isinstance(item, Control):
            if item.kind == "loop":
                yield item, before
            else:
                for arm in item.arms:
                    yield from _loops(arm)
        before.append(item)


def _continues(region: Region) -> bool:
    """True if a lane may begin the loop's next round before the end of its body."""
    for item in region.items:
        if isinstance(item, Leaf):
            if item.instruction.opcode.flow is Flow.CONTINUE:
                return True
        elif item.kind != "loop" and any(map(_continues, item.arms)):
            return True
    return False
