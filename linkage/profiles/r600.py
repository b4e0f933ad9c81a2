"""r600: hardware compares one-byte ids of outputs and inputs, so order is free.

Id 0 means no varying. Automatic ids depend only on the semantic, GENERIC: index + 1, others: (0x80 | name << 3 | index) + 1; some of them
clash, which is detected here. Configured ids number the pair's varyings from 1. A word has four output ids, and there are ten words. An
input word has the id in bits 0 to 7, the default for inputs without a partner in bits 8 and 9 (0: all zero, 3: all one), flat in bit 10,
sprite in bit 17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import eq

from linkage.checks import fed_by_nothing, too_many
from linkage.device import Job, Plain, Profile, Registers
from linkage.device_link import Patch, Words
from linkage.rows import Relocation
from linkage.usage import key_of
from passes.validate.semantics import BYTE
from tgsi.language.facts.enums import Interpolation
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.record import record

WORDS = 10
_ID = [f"id {number}" for number in range(256)]
FLAT, SPRITE, ONES = 1 << 10, 1 << 17, 3 << 8
_NO_ID = frozenset({"POSITION", "PSIZE", "EDGEFLAG", "FACE", "SAMPLEMASK"})
_NOT_EXPORTED = _NO_ID | {"CLIPVERTEX"}


def automatic_id(semantic: Semantic) -> int:
    """The one-byte id of a semantic; 0 for a semantic that is not a varying. Different semantics may share an id."""
    if semantic.name in _NO_ID:
        return 0
    if semantic.name == "GENERIC":
        return semantic.index + 1 if semantic.index < 255 else 0
    return (0x80 | SEMANTICS[semantic.name].number << 3 | semantic.index) + 1 & 0xFF


def clashes(semantics: list[Semantic]) -> list[tuple[Semantic, Semantic, int]]:
    """Pairs of different semantics with one id, and that id. A varying with id 0 is paired with itself."""
    owner: dict[int, Semantic] = {}
    pairs = []
    for semantic in semantics:
        number = automatic_id(semantic)
        if semantic.name in _NO_ID:
            continue
        other = owner.setdefault(number, semantic)
        if other != semantic or number == 0:
            pairs.append((other, semantic, number))
    return pairs


def build(job: Job) -> None:
    """Build output ids and input words; clashing ids lead to configured ones, as `LinkOptions.ids` allows."""
    table, options = job.table, job.options
    exported = {o.register: o.semantic for o in job.producer.outputs if o.semantic.name not in _NOT_EXPORTED}
    outputs = list(exported.values())
    inputs = [row.semantic for row in table.rows] + [s.semantic for s in table.specials if s.semantic.name == "PRIM_ID"]
    for row in table.rows:
        source = job.source(row) or row.semantic
        if source.name in _NOT_EXPORTED:
            text = f"IN[{row.input_register}] {row.semantic} would be fed by {source}, which is not a parameter"
            job.error("K032", text, register=row.input_register, hint="carry it in a GENERIC semantic, in both programs")
    clashing = clashes(list(dict.fromkeys((*outputs, *inputs))))
    for first, second, number in clashing:
        text = f"{first} and {second} have the same id {number}" if first != second else f"{first} has id 0, which means no varying"
        if options.ids == "automatic":
            job.error("K033", text, span=job.span_of(second), hint='link with ids="configured", or give one of them another index')
        elif options.ids == "auto":
            text = f"{text}; ids are configured for this pair"
            job.warning("K033", text, span=job.span_of(second), hint="give one of them another index")
    job.stop_if_errors()
    is_configured = options.ids == "configured" or bool(clashing)
    ids = _ids(job, outputs, inputs) if is_configured else {s: automatic_id(s) for s in (*outputs, *inputs)}
    too_many(job, len(outputs), WORDS * 4, "exported parameters")
    numbers = [ids[semantic] for semantic in outputs[: WORDS * 4]]
    names = [f"{semantic} is {ids[semantic]}" for semantic in outputs[: WORDS * 4]]
    notes = [", ".join(names[at : at + 4]) for at in range(0, WORDS * 4, 4)]
    job.block("output ids", 32, list(zip(_packed(numbers), notes)))
    job.block("export count", 32, [(max(1, len(outputs)), "at least one parameter is exported")])
    job.block("exports", 8, [(register, str(semantic)) for register, semantic in exported.items()])
    entries = []
    for row in table.rows:
        flags = _flags(job, row)
        number = _no_id(job, row, ids, numbers) if row.output_register is None else ids[exported[row.output_register]]
        entries.append((number | flags, job.label(row)))
        job.place(job.label(row), _ID[number])
        behind = table.back_register(row)
        if options.light_twoside and behind != row.output_register and behind is not None:
            note = f"back of IN[{row.input_register}], chosen by facing"
            entries.append((ids[exported[behind]] | flags & ~ONES, note))
    for item in table.specials:
        entries.append((_special(item.semantic, ids.get(item.semantic, 0)), f"IN[{item.input_register}] {item.semantic}"))
        job.place(f"IN[{item.input_register}] {item.semantic}", "special index")
    job.block("input words", 32, entries)


def _special(semantic: Semantic, number: int) -> int:
    """The input word of a value from the rasterizer; `number` is the id of the primitive number."""
    flags = FLAT if semantic.name == "POSITION" else SPRITE if semantic.name == "PCOORD" else 0
    return flags | (number if semantic.name == "PRIM_ID" else 0)


def _packed(numbers: Sequence[int]) -> list[int]:
    """Ids packed into words of four bytes."""
    return [sum(number << 8 * i for i, number in enumerate(numbers[at : at + 4])) for at in range(0, WORDS * 4, 4)]


def _flags(job: Job, row: Relocation) -> int:
    """Default, flat and sprite bits of an input word."""
    flags = 0
    is_sprite = row.semantic.name == "GENERIC" and job.is_sprite(row.semantic)
    if row.output_register is None and row.semantic == Semantic("COLOR"):
        flags |= ONES
        fed_by_nothing(job, row, "it reads 1, 1, 1, 1")
    elif row.output_register is None and not is_sprite:
        fed_by_nothing(job, row, "it reads 0, 0, 0, 0")
    if job.is_sprite(row.semantic) and not is_sprite:
        text = f"IN[{row.input_register}] {row.semantic}: the point coordinate replaces GENERIC inputs only"
        job.warning("K036", text, register=row.input_register, hint="carry it in a GENERIC semantic, in both programs")
    if row.interpolation is Interpolation.CONSTANT or (row.interpolation is Interpolation.COLOR and job.options.flatshade):
        flags |= FLAT
    return flags | SPRITE * is_sprite


def _no_id(job: Job, row: Relocation, ids: Mapping[Semantic, int], used: Sequence[int]) -> int:
    """The id of an input without an output: its own, unless an output has the same."""
    number = ids[row.semantic]
    if number not in used:
        return number
    free = next((number for number in range(1, 256) if number not in used), None)
    if free is None:
        job.error(
            "K030", f"IN[{row.input_register}] {row.semantic}: every id is in use", register=row.input_register, hint="write fewer varyings"
        )
        job.stop_if_errors()
    return free or 0


def _ids(job: Job, outputs: list[Semantic], inputs: list[Semantic]) -> dict[Semantic, int]:
    """Configured ids: numbers from 1, outputs first."""
    ids = {semantic: number for number, semantic in enumerate(dict.fromkeys((*outputs, *inputs)), 1)}
    if len(ids) > 255:
        job.error("K030", f"the pair uses {len(ids)} different semantics, ids are 1 to 255", hint="read and write fewer varyings")
        job.stop_if_errors()
    return ids


@record
class _Exports:
    """The blocks of outputs, and the semantic of each automatic id, as `key_of`."""

    blocks: tuple[Words, ...]
    owner: dict[int, int]


@record
class _Words:
    """Automatic ids of inputs with their semantics, as `key_of`, and the input words, which differ if COLOR[0] has no output.

    `color` is the slot of COLOR[0], None if it is not read.
    """

    ids: tuple[int, ...]
    keys: tuple[int, ...]
    words: tuple[int, ...]
    words_without_color: tuple[int, ...]
    color: int | None


def _exports(job: Job) -> _Exports | None:
    exported = {o.register: o.semantic for o in job.producer.outputs if o.semantic.name not in _NOT_EXPORTED}
    outputs = list(exported.values())
    if len(outputs) > WORDS * 4 or clashes(outputs):
        return None
    blocks = (
        ("output ids", 32, tuple(_packed([automatic_id(semantic) for semantic in outputs]))),
        ("export count", 32, (max(1, len(outputs)),)),
        ("exports", 8, tuple(exported)),
    )
    return _Exports(blocks, {automatic_id(semantic): key_of(semantic) for semantic in outputs})


def _input_words(job: Job) -> _Words | None:
    table = job.table
    specials = [item.semantic for item in table.specials]
    inputs = [row.semantic for row in table.rows] + [semantic for semantic in specials if semantic.name == "PRIM_ID"]
    if clashes(list(dict.fromkeys(inputs))) or any(semantic.name in _NOT_EXPORTED for semantic in inputs):
        return None
    words: tuple[list[int], list[int]] = ([], [])
    for row in table.rows:
        flags = FLAT if row.interpolation is Interpolation.CONSTANT else 0
        for kind, ones in enumerate((0, ONES if row.semantic == Semantic("COLOR") else 0)):
            words[kind].append(automatic_id(row.semantic) | flags | ones)
    tail = [_special(semantic, automatic_id(semantic)) for semantic in specials]
    color = next((row.slot for row in table.rows if row.semantic == Semantic("COLOR")), None)
    ids = tuple(automatic_id(semantic) for semantic in inputs)
    return _Words(ids, tuple(map(key_of, inputs)), (*words[0], *tail), (*words[1], *tail), color)


def _join(theirs: _Exports, ours: _Words, registers: Registers) -> tuple[tuple[Words, ...], tuple[Patch, ...]] | None:
    if not all(map(eq, map(theirs.owner.get, ours.ids, ours.keys), ours.keys)):
        return None  # an output has the id of an input with another semantic
    is_fed = ours.color is None or registers[ours.color] is not None
    return (*theirs.blocks, ("input words", 32, ours.words if is_fed else ours.words_without_color)), ()


PLAIN = Plain(_exports, _input_words, _join)


PROFILE = Profile("r600", "AMD r600", BYTE, build=build, plain=PLAIN, interpolators=WORDS * 4)
