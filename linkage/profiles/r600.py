"""r600: hardware compares one-byte ids of outputs and inputs, so order is free.

Id 0 is no varying. Automatic ids come from the semantic alone, GENERIC: index + 1, others: (0x80 | name << 3 | index) + 1; some
of them clash, which is found here. Configured ids count the pair's varyings from 1. Four output ids make a word, and there are ten
words. An input word has the id in bits 0 to 7, the default for inputs without a partner in bits 8 and 9 (0: all zero, 3: all one),
flat in bit 10, sprite in bit 17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkage.device import Job, Profile, fed_by_nothing, too_many
from linkage.rows import Relocation
from passes.validate.semantics import BYTE
from tgsi.language.facts.enums import Interpolation
from tgsi.language.facts.semantics import SEMANTICS, Semantic

WORDS = 10
_ID = [f"id {number}" for number in range(256)]
FLAT, SPRITE, ONES = 1 << 10, 1 << 17, 3 << 8
_NO_ID = frozenset({"POSITION", "PSIZE", "EDGEFLAG", "FACE", "SAMPLEMASK"})
_NOT_EXPORTED = _NO_ID | {"CLIPVERTEX"}


def automatic_id(semantic: Semantic) -> int:
    """The id of a semantic, one byte; 0 for a semantic that is no varying. Different semantics may share one id."""
    if semantic.name in _NO_ID:
        return 0
    if semantic.name == "GENERIC":
        return semantic.index + 1 if semantic.index < 255 else 0
    return (0x80 | SEMANTICS[semantic.name].number << 3 | semantic.index) + 1 & 0xFF


def clashes(semantics: list[Semantic]) -> list[tuple[Semantic, Semantic, int]]:
    """Pairs of different semantics with one id, and that id. A varying whose id is 0 makes a pair with itself."""
    owner: dict[int, Semantic] = {}
    found = []
    for semantic in semantics:
        number = automatic_id(semantic)
        if semantic.name in _NO_ID:
            continue
        other = owner.setdefault(number, semantic)
        if other != semantic or number == 0:
            found.append((other, semantic, number))
    return found


def build(job: Job) -> None:
    """Build output ids and input words; clashing ids lead to configured ones, as `LinkOptions.ids` allows."""
    table, options = job.table, job.options
    exported = {o.register: o.semantic for o in job.producer.outputs if o.semantic.name not in _NOT_EXPORTED}
    outputs = list(exported.values())
    inputs = [row.semantic for row in table.rows] + [s.semantic for s in table.specials if s.semantic.name == "PRIM_ID"]
    for row in table.rows:
        source = job.source(row) or row.semantic
        if source.name in _NOT_EXPORTED:
            text = f"IN[{row.input_register}] {row.semantic} is to be fed by {source}, which is no parameter"
            job.error("K032", text, register=row.input_register, hint="carry it in a GENERIC semantic, in both programs")
    found = clashes(list(dict.fromkeys((*outputs, *inputs))))
    for first, second, number in found:
        text = f"{first} and {second} have the same id {number}" if first != second else f"{first} has id 0, which means no varying"
        if options.ids == "automatic":
            job.error("K033", text, span=job.span_of(second), hint='link with ids="configured", or give one of them another index')
        elif options.ids == "auto":
            text = f"{text}; ids are configured for this pair"
            job.warning("K033", text, span=job.span_of(second), hint="give one of them another index")
    job.stop_if_errors()
    is_configured = options.ids == "configured" or bool(found)
    ids = _ids(job, outputs, inputs) if is_configured else {s: automatic_id(s) for s in (*outputs, *inputs)}
    too_many(job, len(outputs), WORDS * 4, "exported parameters")
    numbers = [ids[semantic] for semantic in outputs[: WORDS * 4]]
    names = [f"{semantic} is {ids[semantic]}" for semantic in outputs[: WORDS * 4]]
    words = []
    for at in range(0, WORDS * 4, 4):
        value = sum(number << 8 * i for i, number in enumerate(numbers[at : at + 4]))
        words.append((value, ", ".join(names[at : at + 4])))
    job.block("output ids", 32, words)
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
        flags = FLAT if item.semantic.name == "POSITION" else SPRITE if item.semantic.name == "PCOORD" else 0
        number = ids[item.semantic] if item.semantic.name == "PRIM_ID" else 0
        entries.append((number | flags, f"IN[{item.input_register}] {item.semantic}"))
        job.place(f"IN[{item.input_register}] {item.semantic}", "special index")
    job.block("input words", 32, entries)


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
    """The id of an input without an output: its own, unless an output has that, too."""
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


PROFILE = Profile("r600", "AMD r600", BYTE, build=build, interpolators=WORDS * 4)
