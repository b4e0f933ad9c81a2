"""The legacy dialect: texts of 2007 to 2017, read into today's language.

Renamed opcodes get their new name, and removed ones become instructions of today (`old_opcodes`), with temporaries and literals of our
own. Forms outside the grammar are removed from the text before it is read (`old_forms`). EMIT and ENDPRIM may stand without a stream, and
immediates may have fewer than four values. ``DCL IMMX[0..1] {{..}, {..}}`` are immediates, ``TEMPX[array][index]`` is an array of TEMP,
PRED and LOOP are TEMP, CULLDIST are the channels of CLIPDIST after the clip distances. Labels follow their instructions. Opcodes that
nothing replaces (BRA, PUSHA, NOISE1, ..) are refused by name. Notes list everything that was read differently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from tgsi.language.diagnostics import Diagnostic, Label, Severity
from tgsi.language.facts.enums import CHANNELS, TARGETS, File, ImmediateType, Processor
from tgsi.language.ir import Declaration, DstOperand, Immediate, Instruction, RegisterRef, SrcOperand, TexOffset
from tgsi.language.literals import LITERALS
from tgsi.language.messages import Mistake, known
from tgsi.language.program import Program
from tgsi.language.source import Source, Span
from tgsi.language.text.attributes import TARGET_HINT
from tgsi.language.text.cull_distances import NAME as CULLDIST
from tgsi.language.text.cull_distances import CullDistances
from tgsi.language.text.old_forms import BLOCK, Factor, Form, OldForms, OldSource, Predicate, blank
from tgsi.language.text.old_opcodes import (
    HALF,
    LITERAL_WORDS,
    LOWERED,
    ONE,
    REFUSED,
    RENAMED,
    ZERO,
    Lowered,
    again,
    negated,
    op,
    saturated,
    swizzled,
)
from tgsi.language.text.old_registers import (
    ARRAY,
    AS_TEMP,
    COUNTERS,
    IMMX,
    LITERAL,
    LOOPS,
    MAX_INDEX,
    PREDICATES,
    SCRATCH,
    TEMPX,
    VIEW,
    Places,
    temporary,
)
from tgsi.language.text.operands import OperandReader
from tgsi.language.text.reader import Reader

_PADDED = frozenset({"FLT32", "UINT32", "INT32"})
_MAX_MADE = 1 << 14
"""Most registers of a kind that are made."""

Build = Callable[..., list[Instruction]]
Step = Callable[[DstOperand, SrcOperand], Instruction]


class LegacyReader(Reader):
    """A reader that lowers the old parts of its text. `finish` moves our own registers to numbers that the program leaves free."""

    def __init__(
        self, source: Source, stage: Processor, operands: OperandReader, split: Callable[[str], list[str]], forms: OldForms
    ) -> None:
        super().__init__(source, stage, operands, split)
        self.forms = forms
        self._attributes.semantics = {**self._attributes.semantics, CULLDIST: None}
        self._scratch = self._most = self._counters = 0
        self._literals: dict[int, int] = {}
        self._arrays: dict[int, Declaration] = {}
        self._temps: dict[int, int] = {}  # registers of PRED and LOOP, by their provisional number
        self._gone: list[Declaration] = []
        self._loops: list[RegisterRef] = []
        self._culls = CullDistances()
        self._starts: list[int] = []
        self._blocks: list[Immediate] = []
        self._notes: dict[str, tuple[Span, str, int]] = {}
        for kind, (message, first, last) in forms.seen.items():
            self.note(kind, message, Span(source, first, last))

    def note(self, kind: str, message: str, span: Span) -> None:
        """Add a note for each kind of text that was read differently, with the number of its places."""
        first, said, count = self._notes.get(kind, (span, message, 0))
        self._notes[kind] = first, said, count + 1

    # instructions

    def instruction(self, span: Span, opcode: str, operands: str | None, label: str | None) -> Instruction:
        """Lower an instruction of any time. Returns the last instruction of its expansion; the ones before it are already in the
        program."""
        start, self._scratch = len(self.instructions), 0
        made = self._lowered(span, opcode, operands, label)
        self._most = max(self._most, self._scratch)
        self.instructions += made[:-1]
        self._starts.append(start)
        return made[-1]

    def _lowered(self, span: Span, opcode: str, operands: str | None, label: str | None) -> list[Instruction]:
        word = opcode.upper()
        wide, saturate = word.endswith("_SATNV"), word.endswith("_SAT")
        stem = word.removesuffix("_SATNV").removesuffix("_SAT")
        name = RENAMED.get(stem, stem)
        if stem in ("KIL", "KILP"):  # for a while, each had the operands of the other
            name = "KILL" if operands is None else "KILL_IF"
        if stem == "LOAD" and operands is not None and VIEW.search(operands):
            name = "SAMPLE_I"
        if name in REFUSED:
            when, hint = REFUSED[name]
            raise Mistake("P005", f"the opcode {name}, which Mesa had from {when}, has no counterpart", opcode, hint)
        if name in LOWERED or name != stem:
            self.note(stem, f"{stem} is {name} today" if name not in LOWERED else f"{stem} takes other instructions today", span)
        forms = list(self.forms.within(span.start, span.end))
        if stem in ("BGNFOR", "ENDFOR"):
            self.note("BGNFOR", "BGNFOR is a loop with a counter of its own today", span)
            return self._spanned(self._begin_for(opcode, operands) if stem == "BGNFOR" else self._end_for(), span)
        if name in ("EMIT", "ENDPRIM") and operands is None:
            self.note(name, f"{name} names a stream today", span)
            return [replace(op(name, None, ZERO), span=span)]
        if name in LOWERED:
            dst, src, build = self._removed(name, opcode, operands, label)
        else:
            changed = wide or name != stem
            item = super().instruction(span, name + "_SAT" * saturate if changed else opcode, operands, label)
            if not forms and not wide:
                return [item]
            dst, src, build = item.dst, list(item.src), again(replace(item, saturate=False))
            saturate = item.saturate
        return self._spanned(self._with_forms(dst, src, build, saturate, wide, forms, opcode, span), span)

    @staticmethod
    def _spanned(made: list[Instruction], span: Span) -> list[Instruction]:
        return [replace(item, span=span) for item in made]

    def _removed(
        self, name: str, opcode: str, operands: str | None, label: str | None
    ) -> tuple[tuple[DstOperand, ...], list[SrcOperand], Build]:
        """Operands of a removed opcode, and the function that makes its instructions of them."""
        old: Lowered = LOWERED[name]
        texts = operands.split(",") if operands is not None else []
        wants = ["destination"] * old.num_dst + ["source"] * old.num_src + ["texture target"] * old.target
        if len(texts) != len(wants) or label is not None:
            raise Mistake("P009", f"{name} takes {len(wants)} operands ({', '.join(wants)}), {len(texts)} given", operands or opcode)
        dst = tuple([self._destinations[text] for text in texts[: old.num_dst]])
        src = [self._sources[text] for text in texts[old.num_dst : old.num_dst + old.num_src]]
        target = known(TARGETS, texts[-1], "texture target", "P011", TARGET_HINT).name if old.target else None

        def build(*operands: object) -> list[Instruction]:
            made: list[Instruction] = old.build(self, *operands)
            return [replace(item, texture=target) for item in made] if target is not None else made

        return dst, src, build

    def _with_forms(
        self,
        dst: tuple[DstOperand, ...],
        src: list[SrcOperand],
        build: Build,
        saturate: bool,
        wide: bool,
        forms: list[tuple[int, Form]],
        opcode: str,
        span: Span,
    ) -> list[Instruction]:
        """The instructions of `build`, preceded by those for modifiers of sources and followed by those for saturation and predicates."""
        made: list[Instruction] = []
        after: list[Step] = []
        predicate: Predicate | None = None
        for number, form in forms:
            if isinstance(form, OldSource) and len(dst) <= number < len(dst) + len(src):
                src[number - len(dst)] = self._modified(src[number - len(dst)], form, made)
            elif isinstance(form, Factor):
                after.append(self._times(form))
            elif isinstance(form, Predicate):
                predicate = form
            else:
                raise Mistake("P015", "the modifiers belong to a source", opcode)
        if wide:
            self.note("_SATNV", "_SATNV is MAX and MIN today", span)
            after.append(lambda d, s: op("MAX", d, s, negated(ONE)))
            after.append(lambda d, s: op("MIN", d, s, ONE))
        if predicate is not None and dst:
            after.append(partial(self._chosen, predicate))
        if (after or predicate is not None) and len(dst) != 1:
            raise Mistake("P015", f"{opcode} has no result to change", opcode)
        if not after:
            made += saturated(build(*dst, *src), dst[0].register if dst and saturate else None)
            return made
        multiplied = any(isinstance(form, Factor) for _, form in forms)
        result = DstOperand(self.temporary(), dst[0].write_mask)
        made += saturated(build(result, *src), result.register if saturate and not multiplied else None)
        for number, step in enumerate(after, 1):
            item = step(dst[0] if number == len(after) else result, SrcOperand(result.register))
            made.append(replace(item, saturate=saturate and multiplied and number == 1))
        return made

    def _times(self, factor: Factor) -> Step:
        number = self.literal(factor.word)
        return lambda d, s: op("MUL", d, s, number)

    def _modified(self, source: SrcOperand, form: OldSource, made: list[Instruction]) -> SrcOperand:
        """A source with old modifiers: instructions that compute it are added to `made`."""
        t = self.temporary()
        value = SrcOperand(t)
        plain = replace(source, negate=form.sign, absolute=False)
        if form.constants:
            for mask, letters in form.groups():
                chosen = ZERO if letters == "0" else ONE if letters == "1" else swizzled(plain, letters)
                made.append(op("MOV", DstOperand(t, mask), chosen))
        else:
            made.append(op("MOV", DstOperand(t), plain))
        if form.complement:
            made.append(op("ADD", DstOperand(t), ONE, negated(value)))
        if form.bias:
            made.append(op("ADD", DstOperand(t), value, negated(HALF)))
        if form.scale:
            made.append(op("ADD", DstOperand(t), value, value))
        return SrcOperand(t, (0, 1, 2, 3), form.minus, form.bar)

    def _chosen(self, form: Predicate, d: DstOperand, value: SrcOperand) -> Instruction:
        """Selects the channels of `value` where the predicate is true; other channels keep their old value."""
        x, y, z, w = (CHANNELS.index(letter) for letter in (form.letters * 4)[:4])
        self._temps.setdefault(PREDICATES + form.register, 0)
        condition = SrcOperand(RegisterRef(File.TEMP, PREDICATES + form.register), (x, y, z, w))
        kept = SrcOperand(d.register)
        return op("UCMP", d, condition, *((kept, value) if form.negate else (value, kept)))

    def _begin_for(self, opcode: str, operands: str | None) -> list[Instruction]:
        """``BGNFOR LOOP[0], CONST[0]``: x rounds; LOOP[0].x counts from y in steps of z. Counted at its head, so that CONT counts, too."""
        texts = operands.split(",") if operands is not None else []
        if len(texts) != 2:
            raise Mistake("P009", f"BGNFOR takes 2 operands (destination, source), {len(texts)} given", operands or opcode)
        source = self._sources[texts[1]]
        t = self.counter()
        self._loops.append(t)
        x, y, z, w = (SrcOperand(t, (channel,) * 4) for channel in range(4))
        return [
            op("MOV", DstOperand(t, 7), source),
            op("BGNLOOP", None),
            op("SLE", DstOperand(t, 8), x, ZERO),
            op("IF", None, w),
            op("BRK", None),
            op("ENDIF", None),
            op("F2I", DstOperand(t, 8), y),
            *self._show_count(t),
            op("ADD", DstOperand(t, 1), x, negated(ONE)),
            op("ADD", DstOperand(t, 2), y, z),
        ]

    def _end_for(self) -> list[Instruction]:
        if self._loops:
            self._loops.pop()
        return [op("ENDLOOP", None), *(self._show_count(self._loops[-1]) if self._loops else ())]

    def _show_count(self, counter: RegisterRef) -> list[Instruction]:
        """LOOP[0] is the counter of the innermost loop."""
        self._temps.setdefault(LOOPS, 0)
        return [op("MOV", DstOperand(RegisterRef(File.TEMP, LOOPS)), SrcOperand(counter, (3,) * 4))]

    # services for lowerings

    def temporary(self) -> RegisterRef:
        """A register of this instruction."""
        self._scratch += 1
        return temporary(SCRATCH + self._scratch - 1)

    def counter(self) -> RegisterRef:
        """A register that keeps its value."""
        if self._counters >= _MAX_MADE:
            raise Mistake("P026", f"there are more than {_MAX_MADE} loops")
        self._counters += 1
        return temporary(COUNTERS + self._counters - 1)

    def literal(self, word: int) -> SrcOperand:
        """A word in all channels."""
        number = self._literals.setdefault(word, len(self._literals))
        return SrcOperand(RegisterRef(File.IMM, LITERAL + 1 + number // 4), (number % 4,) * 4)

    # declarations and immediates

    def declaration(
        self, span: Span, file: str, first: str | None, second: str | None, letters: str | None, attributes: str | None
    ) -> Declaration:
        """Read a declaration. An array of TEMPX becomes one of TEMP at the end of the text; registers of PRED and LOOP become TEMP, too."""
        name = file.upper()
        today = "TEMP" if name in ("TEMPX", *AS_TEMP) else "SVIEW" if name == "RES" else file
        made = super().declaration(span, today, first, second, letters, attributes)
        if name == "RES":
            self.note(name, "RES is SVIEW today", span)
        if made.semantic is not None and made.semantic.name == CULLDIST:
            self.note(CULLDIST, "CULLDIST is CLIPDIST today, after the clip distances", span)
            self._culls.add(made, self.stage)
        if name == "TEMPX":
            if made.dimension is None or made.dimension >= ARRAY or made.last >= ARRAY or made.dimension in self._arrays:
                raise Mistake("P015", "TEMPX is declared once for each array, with two brackets", file, "write `DCL TEMPX[0][0..3]`")
            self.note(name, "TEMPX is an array of TEMP today", span)
            self._arrays[made.dimension] = made
            self._gone.append(made)
        elif name in AS_TEMP:
            if made.last > MAX_INDEX:
                raise Mistake("P026", f"a register number is beyond {MAX_INDEX}", file)
            self.note(name, f"{name} is a register of TEMP today", span)
            self._temps[AS_TEMP[name]] = max(self._temps.get(AS_TEMP[name], 0), made.last)
            self._gone.append(made)
        elif made.interpolation is not None and (self.stage is not Processor.FRAG or made.file is not File.IN):
            self.note("mode", "only inputs of fragment programs have a mode today", span)
            return replace(made, interpolation=None)
        return made

    def immediate(self, span: Span, index: str | None, type: str, values: str | None) -> Immediate:
        """An immediate; missing values are 0."""
        count = values.count(",") + 1 if values is not None else 4
        if values is not None and count < 4 and type.upper() in _PADDED:
            self.note("IMM", "an immediate has four values today", span)
            values += ",0" * (4 - count)
        return super().immediate(span, index, type, values)

    def take_blocks(self, text: str) -> str:
        """Read the declarations of IMMX. Returns the text without them, every other character in its place.

        Raises:
            Mistake: a row does not have four values, or the numbers of rows and registers differ.
        """
        literal = LITERALS[ImmediateType.FLT32]
        for match in BLOCK.finditer(text):
            rows = re.findall(r"\{([^{}]*)\}", match["rows"])
            first, last = int(match["first"]), int(match["last"] or match["first"])
            if first != len(self._blocks) or last - first + 1 != len(rows):
                raise Mistake("P022", f"IMMX[{first}..{last}] has {len(rows)} rows", match[0], "registers of IMMX are declared in order")
            span = Span(self.source_text, match.start(), match.end())
            self.note("IMMX", "IMMX are immediates today", span)
            for row in rows:
                values = [value.strip() for value in row.split(",")]
                if len(values) != 4 or not all(map(literal.good, values)):
                    raise Mistake("P022", "a row of IMMX has four FLT32 values", row)
                a, b, c, d = (literal.read(value)[0] for value in values)
                self._blocks.append(Immediate(ImmediateType.FLT32, (a, b, c, d), span))
        return BLOCK.sub(lambda match: blank(match[0]), text)

    # the end of the text

    def finish(self, program: Program) -> Program:
        """The program with final register numbers, with every label at its instruction, and with notes."""
        immediates = [*program.immediates, *self._blocks]
        places = {IMMX: len(program.immediates), LITERAL: len(immediates)}
        declarations = [item for item in program.declarations if not any(item is gone for gone in self._gone)]
        properties = list(program.properties)
        if self._culls:
            declarations, properties = self._culls.placed(declarations, properties)
        room = max((item.last + 1 for item in declarations if item.file is File.TEMP), default=0)
        arrays = max((item.array_id for item in declarations), default=0)
        for number, item in sorted(self._arrays.items()):
            arrays += 1
            places[TEMPX + ARRAY * number] = room
            declarations.append(replace(item, first=room, last=room + item.last, dimension=None, array_id=arrays))
            room += item.last + 1
        made = [(base, last + 1) for base, last in self._temps.items()] + [(SCRATCH, self._most), (COUNTERS, self._counters)]
        for base, count in made:
            if count:
                places[base] = room
                declarations.append(Declaration(File.TEMP, room, room + count - 1))
                room += count
        words = [*self._literals, *[0] * (-len(self._literals) % 4)]
        more = [Immediate(ImmediateType.FLT32, (words[at], words[at + 1], words[at + 2], words[at + 3])) for at in range(0, len(words), 4)]
        if more or any(src.register.index == LITERAL for item in program.instructions for src in item.src):
            immediates += [Immediate(ImmediateType.FLT32, LITERAL_WORDS), *more]
        final = Places(places)
        instructions = tuple([self._placed(item, final) for item in program.instructions])
        return replace(
            program,
            declarations=tuple(declarations),
            immediates=tuple(immediates),
            properties=tuple(properties),
            instructions=instructions,
            notes=tuple(self._diagnostics()),
        )

    def _diagnostics(self) -> Iterator[Diagnostic]:
        for span, message, count in sorted(self._notes.values(), key=lambda item: item[0].start):
            more = f" ({count} places)" if count > 1 else ""
            yield Diagnostic("P050", Severity.NOTE, message + more, (Label(span),))

    def _placed(self, item: Instruction, places: Places) -> Instruction:
        label = item.label
        if label is not None and label < len(self._starts):
            label = self._starts[label]
        dst = tuple([replace(operand, register=places.register(operand.register)) for operand in item.dst])
        src = tuple([replace(operand, register=places.register(operand.register)) for operand in item.src])
        offsets = tuple([TexOffset(places.register(offset.register), offset.swizzle) for offset in item.offsets])
        return replace(item, dst=dst, src=src, offsets=offsets, label=label)
