"""Matching of rules with instructions, one channel after another.

Rules are found by the opcode of the window and by one of its sources: a constant, or the opcode that defines it. The time for an
instruction depends neither on the number of rules nor on the length of the program.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from passes.analysis.access import is_direct
from passes.analysis.cells import CHANNELS, STATIC
from passes.edit import with_opcode
from passes.form import Form
from passes.optimise.evaluate import modified, value_of
from passes.optimise.rules.kinds import CLOSED, CONTAINS, ONE, gives
from passes.optimise.rules.rule import Rule
from passes.optimise.rules.terms import Modified, Result, Term, Variable, Word, is_known
from passes.optimise.rules.windows import Index, Window, index_of
from tgsi.language.facts.enums import ADDR, IMM, TEMP
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.traits import Mode
from tgsi.language.ir import IDENTITY, STILL, Instruction, RegisterRef, SrcOperand

Source = tuple[RegisterRef, int, bool, bool, str, int]
"""One channel of a source: register, channel, negate, absolute, the type that these modifiers act on, and the place that reads it."""

Bindings = dict[str, Source | int]
"""Variables to sources, constants to words."""

_REPLICATE = Mode.REPLICATE
_INTEGERS = frozenset({"int", "uint"})
_ONE_CHANNEL = (0,)
_FIRST = tuple((mask & -mask).bit_length() - 1 for mask in range(16))
"""The first channel of a mask."""

_DEPTH = 4
"""Definitions that are looked through to find the kind of a value."""


class Matcher:
    """The rules for the instruction at one place of a form."""

    __slots__ = ("_immediates", "_is_precise", "_place", "_values", "_zero_wins")

    def __init__(self, form: Form) -> None:
        self._values = form.values
        self._immediates = form.immediates
        self._zero_wins = form.zero_wins
        self._place = -1
        self._is_precise = False

    def rewritten(self, place: int, item: Instruction, makers: int) -> tuple[Instruction, Rule] | None:
        """Return the instruction that does the same as the one at a place by the first rule that holds, with that rule.

        makers: the bits of the opcodes that make what it reads. All other questions are about that place.
        """
        self._place = place
        opcode = item.opcode
        index = index_of(opcode)
        if index is None or (index.only_saturated and not item.saturate):
            return None
        is_plain = not item.dst or not opcode.is_componentwise
        candidates = self._candidates(index, makers, item, 0 if is_plain else _FIRST[item.dst[0].write_mask])
        if not candidates:
            return None
        channels = _ONE_CHANNEL if is_plain else CHANNELS[item.dst[0].write_mask]
        for window in candidates:
            if (window.saturate and not item.saturate) or (self._zero_wins and not window.rule.any_product):
                continue
            instruction = self._matched(window, item, channels)
            if instruction is not None:
                return instruction, window.rule
        return None

    def _candidates(self, index: Index, makers: int, item: Instruction, channel: int) -> Sequence[Window]:
        sources = item.src
        has_results = bool(makers & index.bits)
        origins: Sequence[int | None] | None = None
        words: list[int | None] = [None, None, None, None]
        windows: list[Window] = []
        others = index.plain
        number = -1
        for operand in sources:
            number += 1
            if operand.negate or operand.absolute:
                others = index.others
            register = operand.register
            if register.file is IMM:
                if index.takes[number]:
                    constants = index.constants[number]
                    kind = item.opcode.modifier_types[number]
                    word = self._word((register, operand.swizzle[channel], operand.negate, operand.absolute, kind, 0))
                    if word is not None:
                        words[number] = word
                        windows += constants.get(word, ())
                    windows += constants[""]
            elif has_results and (results := index.results[number]):
                if origins is None:
                    origins = self._values.origins(self._place)
                if (maker := origins[number]) is not None and maker >= 0:
                    definition = self._at(maker)  # the first channel that is read is `channel`: rules are about words of 32 bits
                    for window in results.get(definition.opcode, ()):
                        if window.shared >= 0 and not _reads(definition, sources[window.shared].register):
                            continue
                        if not window.wants_constant or has_constants(definition):
                            windows.append(window)
        windows += others
        return [window for window in windows if window.may_fit(sources, words, channel, makers)] if windows else windows

    def _matched(self, window: Window, item: Instruction, channels: Sequence[int]) -> Instruction | None:
        lanes: list[Bindings] = []
        types = item.opcode.modifier_types
        self._is_precise = item.precise
        for channel in channels:
            bound: Bindings = {}
            for number, argument in window.plan:
                operand = item.src[number]
                source = (operand.register, operand.swizzle[channel], operand.negate, operand.absolute, types[number], self._place)
                if not self._match(argument, source, bound):
                    return None
            lanes.append(bound)
        if window.rule.when and not all(_holds(window.rule, bound) for bound in lanes):
            return None
        return self._built(window, item, channels, lanes)

    def _match(self, term: Term, source: Source, bound: Bindings) -> bool:
        if isinstance(term, Variable):
            if term.is_constant:
                word = self._word(source)
                return word is not None and bound.setdefault(term.name, word) == word
            if not self._is_there(source) or (term.kind and not self._is_of(source, term.kind)):
                return False
            known = bound.setdefault(term.name, source)
            return known is source or (isinstance(known, tuple) and _same(known, source))
        if isinstance(term, Word):
            return self._word(source) == term.value
        register, channel, negate, absolute, kind, at = source
        if isinstance(term, Modified):
            if absolute is not term.absolute and (term.absolute or not term.negate):
                return False
            if negate is not term.negate:
                return False
            return self._match(term.term, (register, channel, False, absolute and not term.absolute, kind, at), bound)
        if negate or absolute or register.file is not TEMP:
            return False
        maker = self._definition(register, channel, at)
        definition = self._at(maker) if maker >= 0 else None
        if definition is None or definition.opcode is not term.opcode or definition.saturate is not term.saturate:
            return False
        place = 0 if definition.opcode.mode is _REPLICATE else channel
        operands, types = definition.src, definition.opcode.modifier_types
        for plan in term.plans:
            inner = dict(bound)
            for number, argument in plan:
                o = operands[number]
                if not self._match(argument, (o.register, o.swizzle[place], o.negate, o.absolute, types[number], maker), inner):
                    break
            else:
                bound.update(inner)
                self._is_precise = self._is_precise or definition.precise
                return True
        return False

    def window(self, rule: Rule, source: Source) -> Bindings | None:
        """Return what the variables of a rule's window are if a source reads the result of such a window, otherwise None."""
        bound: Bindings = {}
        if (self._zero_wins and not rule.any_product) or not self._match(rule.window, source, bound):
            return None
        return bound

    def origins(self, opcodes: Container[OpcodeInfo]) -> Sequence[tuple[int, Instruction]]:
        """Return the sources that read, in the first channel and modifiers aside, the result of one of some opcodes, with what made it."""
        items = self._values.items
        origins: list[tuple[int, Instruction]] = []
        for number, place in enumerate(self._values.origins(self._place)):
            if place is not None and place >= 0 and (maker := items[place]) is not None and maker.opcode in opcodes:
                origins.append((number, maker))
        return origins

    def source(self, operand: SrcOperand, channel: int, kind: str) -> Source:
        """Return one channel of a source without its modifiers."""
        return operand.register, operand.swizzle[channel], False, False, kind, self._place

    def _definition(self, register: RegisterRef, channel: int, at: int) -> int:
        """Return the place that computes what a place reads; a negative number if there is not one such place."""
        if register.file is not TEMP or register.indirect is not None:
            return -1
        values = self._values
        cell = values.cells.of(register, (channel,))[0] if values.cells.groups else register.index * 16 + channel
        writer = values.writer(cell, at)
        return -1 if writer is None else writer

    def _at(self, place: int) -> Instruction:
        item = self._values.items[place]
        assert item is not None
        return item

    def _is_there(self, source: Source) -> bool:
        """Return true if the instruction may read a source in place of the one that reads it now."""
        register, channel, at = source[0], source[1], source[5]
        if at == self._place or register.cell == STILL:
            return at == self._place or register.file in STATIC
        if not is_direct(register) or (register.file is not TEMP and register.file not in STATIC):
            return False
        return self._values.keeps(self._values.cells.of(register, (channel,)), at, self._place)

    def _word(self, source: Source) -> int | None:
        """Return the word of a source that is a constant, after its modifiers."""
        register, channel, negate, absolute, kind = source[:5]
        if register.file is not IMM or register.indirect is not None:
            return None
        return modified(self._immediates.items[register.index].words[channel], kind, negate, absolute)

    def _is_of(self, source: Source, kind: str, depth: int = _DEPTH) -> bool:
        """Return true if a source is known to be of a kind."""
        word = self._word(source)
        if word is not None:
            return CONTAINS[kind](word)
        register, channel, negate, absolute, _, at = source
        place = -1 if negate or absolute or not depth else self._definition(register, channel, at)
        if place < 0:
            return False
        item = self._at(place)
        opcode = item.opcode
        if len(item.dst) != 1 or opcode.uses_64bit:
            return False
        if gives(opcode, item.saturate, kind):
            return True
        if item.saturate or (opcode.name != "AND" and opcode.name not in CLOSED.get(kind, ())):
            return False
        inner = [
            (operand.register, operand.swizzle[channel], operand.negate, operand.absolute, type_, place)
            for operand, type_ in zip(item.src, opcode.modifier_types)
        ]
        if opcode.name in CLOSED.get(kind, ()) and all(self._is_of(part, kind, depth - 1) for part in inner):
            return True
        if opcode.name != "AND":
            return False
        if kind == "small":
            return any(self._is_of(part, kind, depth - 1) for part in inner)
        if kind in ("unit", "whole", "unsigned", "saturated", "number"):
            return any(self._word(inner[k]) == ONE and self._is_of(inner[1 - k], "flag", depth - 1) for k in (0, 1))
        return False

    def _built(self, window: Window, item: Instruction, channels: Sequence[int], lanes: Sequence[Bindings]) -> Instruction | None:
        """Return the instruction that computes the result of a rule in each channel, or None if it cannot be written."""
        term = window.rule.result
        saturate = item.saturate and not window.saturate
        if isinstance(term, Result) and not is_known(term):
            opcode, arguments, saturate = term.opcode, term.arguments, saturate or term.saturate
        else:
            opcode = OPCODES["UARL" if item.dst[0].register.file is ADDR else "MOV"]
            arguments = (term,)
        sources = []
        for number, argument in enumerate(arguments):
            operand = self._operand(argument, opcode, number, item, channels, lanes)
            if operand is None:
                return None
            sources.append(operand)
        precise = self._is_precise and opcode.computes_floats
        return with_opcode(item, opcode, tuple(sources), saturate=saturate, precise=precise)

    def _operand(
        self, term: Term, opcode: OpcodeInfo, number: int, item: Instruction, channels: Sequence[int], lanes: Sequence[Bindings]
    ) -> SrcOperand | None:
        kind = opcode.modifier_types[number]
        spread = not item.opcode.is_componentwise  # the one value goes to all channels
        if is_known(term):
            words = [_known(term, bound) for bound in lanes]
            if None in words or (opcode.mode is _REPLICATE and len(set(words)) > 1):
                return None
            placed = dict(zip(channels, words))
            filled = [words[0] if spread or opcode.mode is _REPLICATE else placed.get(channel) for channel in range(4)]
            type_ = item.opcode.dst_types[0] if opcode.is_copy else opcode.src_types[number]
            return self._immediates.source(filled, type_)
        negate = absolute = False
        if isinstance(term, Modified):
            negate, absolute, term = term.negate, term.absolute, term.term
        assert isinstance(term, Variable)
        read_channels: list[int] = []
        first = lanes[0][term.name]
        assert isinstance(first, tuple)
        for bound in lanes:
            source = bound[term.name]
            assert isinstance(source, tuple)
            if source is not first and (source[0] != first[0] or source[2:5] != first[2:5]):
                return None
            read_channels.append(source[1])
        register, _, is_negated, is_absolute, type_, _ = first
        if (is_negated or is_absolute) and (type_ in _INTEGERS) is not (kind in _INTEGERS):
            return None
        if absolute:
            is_negated, is_absolute = negate, True
        else:
            is_negated = is_negated is not negate
        if opcode.mode is _REPLICATE and len(set(read_channels)) > 1:
            return None
        if spread or opcode.mode is _REPLICATE:
            return SrcOperand(register, (read_channels[0],) * 4, is_negated, is_absolute)
        if read_channels == list(channels):
            return SrcOperand(register, IDENTITY, is_negated, is_absolute)
        places = dict(zip(channels, read_channels))
        x, y, z, w = (places.get(channel, read_channels[0]) for channel in range(4))
        return SrcOperand(register, (x, y, z, w), is_negated, is_absolute)


def has_constants(item: Instruction) -> bool:
    """Return true if an instruction reads an immediate."""
    return any(operand.register.file is IMM for operand in item.src)


def _reads(item: Instruction, register: RegisterRef) -> bool:
    """Return true if an instruction may read a register. File and number alone are compared."""
    return any(operand.register.index == register.index and operand.register.file is register.file for operand in item.src)


def _same(a: Source, b: Source) -> bool:
    """Return true if two sources have the same word."""
    if a[:4] != b[:4]:
        return False
    return not (a[2] or a[3]) or (a[4] in _INTEGERS) is (b[4] in _INTEGERS)


def _holds(rule: Rule, bound: Bindings) -> bool:
    return all(_known(term, bound) for term in rule.when)


def _known(term: Term, bound: Bindings) -> int | None:
    """Return the word of a term of constants, or None if it has none."""
    if isinstance(term, Word):
        return term.value
    if isinstance(term, Variable):
        word = bound[term.name]
        assert isinstance(word, int)
        return word
    if isinstance(term, Modified):
        raise TypeError("constants have no modifiers")
    words = [_known(argument, bound) for argument in term.arguments]
    known = [word for word in words if word is not None]
    return value_of(term.opcode.name, known) if len(known) == len(words) else None
