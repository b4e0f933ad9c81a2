"""The pass remove-unreachable-code."""

from __future__ import annotations

from collections.abc import Iterator

from passes.edit import as_float
from passes.form import Form, FormPass
from passes.optimise.evaluate import modified
from tgsi.language.facts.enums import IMM
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.traits import (
    ARMS,
    BREAK,
    CALL,
    CASE,
    CLOSERS,
    CONTINUE,
    END,
    ENDLOOP,
    ENDSUBROUTINE,
    ENDSWITCH,
    IF,
    JUMPS,
    LOOP,
    OPENERS,
    RETURN,
    SUBROUTINE,
    SWITCH,
    Flow,
    Trait,
)
from tgsi.language.ir import Instruction
from tgsi.language.record import record

_PLAIN = Instruction(OPCODES["NOP"])
"""A stand-in for a jump inside of an inner block."""

_LAST = frozenset({END, ENDSUBROUTINE})


@record(slots=False)
class RemoveUnreachableCode(FormPass):
    """Drop instructions that no lane can reach.

    These are code after a jump, before the first CASE and after END, code after a KILL that every lane runs, subroutines that are never
    called, and the arms that the constant conditions of an IF or a SWITCH exclude, together with the IF or SWITCH. A RET that stands last,
    or a CONT, goes.
    """

    name = "remove-unreachable-code"

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        if _is_plain(form):
            return False
        changed = False
        while _Reacher(form).run() | _without_idle_subs(form):
            changed = form.is_stale = True
        return changed


_KILLS = frozenset(opcode for opcode in OPCODES.values() if Trait.KILL in opcode.traits)


def _is_plain(form: Form) -> bool:
    """Return true if every lane runs all instructions, and the last is END."""
    values = form.values
    if not values.layout.is_straight or values.layout.jumps or not _KILLS.isdisjoint(values.opcodes.counts):
        return False
    last = values.items[-1] if values.items else None
    return last is not None and last.opcode.flow is END


class _Open:
    """An open block: its head, the arm that runs alone if a constant decides (None: none does), whether no lane reached the head."""

    __slots__ = ("dead", "flow", "gone", "head", "value")

    def __init__(self, head: int, flow: Flow, value: bool | None, dead: bool, gone: bool) -> None:
        self.head, self.flow, self.value, self.dead, self.gone = head, flow, value, dead, gone


class _Reacher:
    """One walk over a form that removes unreachable instructions."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.items = form.values.items
        self.gone: set[int] = set()

    def run(self) -> bool:
        """Remove what no lane reaches; return true if that is anything."""
        self._walk()
        for place in self.gone:
            self.form.values.remove(place)
        return bool(self.gone)

    def _walk(self) -> None:
        skipped = 0  # depth of blocks opened in dead code
        dead = ended = False
        stack: list[_Open] = []
        previous = -1
        for place, item in enumerate(self.items):
            if item is None or place in self.gone:
                continue
            flow = item.opcode.flow
            if flow is None:
                if dead:
                    self.gone.add(place)
                elif Trait.KILL in item.opcode.traits and not item.src and not stack and not ended:
                    dead = True
            elif dead and (skipped or flow in OPENERS) and flow is not SUBROUTINE:
                skipped += (flow in OPENERS) - (flow in CLOSERS - {ENDSUBROUTINE})
                self.gone.add(place)
            elif flow in OPENERS:
                value = self._condition(item) if flow is IF else None
                gone = value is not None or (flow is SWITCH and self._decided(place))
                if gone:
                    self.gone.add(place)
                stack.append(_Open(place, flow, value, dead, gone))
                dead = (flow is SWITCH and not gone) or value is False
            elif flow in ARMS:
                if stack[-1].gone:
                    self.gone.add(place)
                dead = stack[-1].value is True
            elif flow in CLOSERS:
                block = stack.pop()
                if block.gone:
                    self.gone.add(place)
                self._drop_last(previous, flow)
                dead = block.dead or (ended and flow is ENDSUBROUTINE)
            elif flow is END:
                self._drop_last(previous, flow)
                dead = ended = True
            elif dead:
                self.gone.add(place)
            elif flow in JUMPS:
                dead = True
            if place not in self.gone:
                previous = place

    def _drop_last(self, place: int, flow: Flow) -> None:
        """Drop a jump to where lanes go anyway."""
        item = self.items[place] if place >= 0 else None
        if item is None:
            return
        jump = item.opcode.flow
        if (jump is RETURN and flow in _LAST) or (jump is CONTINUE and flow is ENDLOOP):
            self.gone.add(place)

    def _condition(self, head: Instruction) -> bool | None:
        """Return the value of the condition of an IF or UIF, or None if it is not a constant."""
        word = self._constant(head)
        if word is None:
            return None
        return as_float(word) != 0.0 if head.opcode.src_types[0] == "float" else word != 0

    def _constant(self, head: Instruction) -> int | None:
        """Return the word of x of an instruction's first source, or None if it is not a constant."""
        source = head.src[0]
        if source.register.file is not IMM or source.register.indirect is not None:
            return None
        word = self.form.immediates.items[source.register.index].words[source.swizzle[0]]
        return modified(word, head.opcode.modifier_types[0], source.negate, source.absolute)

    def _decided(self, start: int) -> bool:
        """Drop the arms that a SWITCH does not run and the ends of those that it runs; false if constants do not decide which these are."""
        head = self.items[start]
        assert head is not None
        selector = self._constant(head)
        if selector is None:
            return False
        inside = matched = has_left = False
        doomed: list[int] = []
        for kind, place, item in self._arms(start):
            if kind is None:  # code in an arm
                if not inside:
                    doomed.append(place)
                elif item.opcode.flow is BREAK:
                    doomed.append(place)
                    inside = False
                elif item.opcode.flow in JUMPS:
                    inside, has_left = False, True
            elif kind is BREAK:  # of this switch, in an inner block
                if inside:
                    return False
                doomed.append(place)
            else:
                if kind is CASE:
                    word = self._constant(item)
                    if word is None:
                        return False
                    hit = word == selector and not has_left
                    matched = matched or hit
                else:
                    hit = not matched and not has_left
                inside = inside or hit
        self.gone.update(doomed)
        return True

    def _arms(self, start: int) -> Iterator[tuple[Flow | None, int, Instruction]]:
        """Yield the parts of a SWITCH: CASE and DEFAULT, its BRKs in inner blocks, and all other instructions of its arms (kind None).

        Inner blocks are yielded as other instructions, whole; their jumps out of the switch too, as if they were taken by no lane.
        """
        inner: list[Flow] = []
        for place in range(start + 1, len(self.items)):
            item = self.items[place]
            if item is None or place in self.gone:
                continue
            flow = item.opcode.flow
            if not inner and flow is ENDSWITCH:
                return
            if not inner and flow in ARMS:
                assert flow is not None
                yield flow, place, item
                continue
            if inner and flow in JUMPS and not (LOOP in inner or (flow is BREAK and SWITCH in inner)):
                yield BREAK, place, item
            elif inner and flow in JUMPS:
                yield None, place, _PLAIN
            else:
                yield None, place, item
            if flow in OPENERS:
                inner.append(flow)
            elif flow in CLOSERS:
                inner.pop()


def _without_idle_subs(form: Form) -> bool:
    """Drop subroutines that no call reaches, directly or through others."""
    if not form.values.layout.has_subs:
        return False
    items = form.values.items
    bodies: dict[int, int] = {}
    calls: dict[int, set[int]] = {-1: set()}
    sub = -1
    for place, item in enumerate(items):
        flow = item.opcode.flow if item is not None else None
        if item is None or flow is None:
            continue
        if flow is SUBROUTINE:
            sub = place
            calls[sub] = set()
        elif flow is ENDSUBROUTINE:
            bodies[sub] = place
            sub = -1
        elif flow is CALL and item.label is not None:
            named = items[item.label] if item.label < len(items) else None
            calls[sub].add(item.label if named is not None and named.opcode.flow is SUBROUTINE else item.label - 1)
    wanted: set[int] = set()
    pending = list(calls[-1])
    while pending:
        start = pending.pop()
        if start not in wanted:
            wanted.add(start)
            pending += calls.get(start, ())
    gone = [place for start, end in bodies.items() if start not in wanted for place in range(start, end + 1) if items[place] is not None]
    for place in gone:
        form.values.remove(place)
    return bool(gone)
