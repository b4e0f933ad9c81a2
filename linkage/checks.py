"""Findings about features that devices lack: stages, control flow, inputs, and carriers that are unsuitable or too few."""

from __future__ import annotations

from linkage.device import TEXTURE_NAMES, Job
from linkage.rows import Relocation
from linkage.text import mask_text
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import Flow
from tgsi.language.program import Program

NEW_INPUTS = frozenset({"PRIM_ID", "LAYER", "VIEWPORT_INDEX", "CLIPDIST", "CLIPVERTEX"})
"""Fragment inputs that only later hardware has."""


def check_stages(job: Job, *programs: Program) -> None:
    """Refuse stages before the rasterizer that the device lacks."""
    profile = job.profile
    for program in programs:
        stage = STAGES[program.processor]
        is_later = not profile.has_geometry and program.processor is not Processor.VERT
        if stage.is_mesh or is_later or (stage.is_patch and not profile.has_tessellation):
            hint = "link the vertex program itself, or for a later device"
            job.error("K031", f"the device has no {program.processor.name} stage", hint=hint)
    job.stop_if_errors()


def check_features(job: Job) -> None:
    """Refuse stages, control flow and inputs that the device lacks."""
    profile = job.profile
    if job.vertex is not None:
        check_stages(job, job.vertex)
    if not profile.has_fragment_flow:
        for instruction in job.instructions:
            if instruction.opcode.flow not in (None, Flow.END):
                text = f"fragment programs have no control flow, and this one uses {instruction.opcode.name}"
                job.error("K031", text, span=instruction.span, hint="select with CMP or SLT instead of branching; unroll loops")
                break
    for item in (*job.consumer.varyings, *job.consumer.specials):
        name = item.semantic.name
        if name == "FACE" and not profile.has_face:
            hint = "select by two-sided color instead (passes.lower.face.face_from_back_color)"
            job.error(
                "K031",
                f"IN[{item.register}] FACE: fragments cannot read their facing on this device",
                register=item.register,
                hint=hint,
            )
        elif name in NEW_INPUTS and not profile.has_primitive_id:
            text = f"IN[{item.register}] {item.semantic}: fragments cannot read this on this device"
            job.error("K031", text, register=item.register, hint="carry it in a GENERIC semantic, in both programs")
    job.stop_if_errors()


_COLOR_NAMES = ("COLOR", "BCOLOR")


def is_fixed(semantic: Semantic) -> bool:
    """True for fragment inputs with dedicated registers on devices of shader model 2 and 3: colors and fog."""
    return semantic.index < {"COLOR": 2, "FOG": 1}.get(semantic.name, 0)


def wrong_carrier(job: Job, row: Relocation) -> bool:
    """Note an error and return true if a link state feeds an input from an output in another kind of register."""
    source, name = job.source(row), row.semantic.name
    kinds: tuple[str, ...]
    if source is None or is_fixed(source) or (source.name == "BCOLOR" and source.index < 2):
        kinds = TEXTURE_NAMES if name in TEXTURE_NAMES else _COLOR_NAMES if name in _COLOR_NAMES else (name,)
    else:
        kinds = TEXTURE_NAMES if name in TEXTURE_NAMES and source.index < 256 else ()
    if source is None or source.name in kinds:
        return False
    where = f"IN[{row.input_register}] {row.semantic} would be fed by OUT[{row.output_register}] {source}"
    if name in TEXTURE_NAMES and source.name in TEXTURE_NAMES:
        if row.semantic.index < 256:  # `carriers` reports all others
            job.error("K032", f"{where}, and indices are bytes here", register=row.input_register, hint="renumber both programs")
        return True
    job.error(
        "K032",
        f"{where}, which is in another kind of register",
        register=row.input_register,
        hint="texture coordinates, colors and fog do not mix here",
    )
    return True


def carriers(job: Job) -> list[Relocation]:
    """Rows of GENERIC and TEXCOORD by index, on devices with the same texture coordinates for both.

    Notes errors for a GENERIC and a TEXCOORD of the same index, and for indices above 255.
    """
    rows = [row for row in job.table.rows if row.semantic.name in TEXTURE_NAMES]
    owner: dict[int, Relocation] = {}
    for row in rows:
        index = row.semantic.index
        other = owner.setdefault(index, row)
        if other.semantic != row.semantic:
            text = f"IN[{row.input_register}]: {other.semantic} and {row.semantic} are one texture coordinate here"
            job.error("K033", text, register=row.input_register, hint="give one of them another index")
        if index > 255:
            text = f"IN[{row.input_register}] {row.semantic}: indices are bytes here"
            job.error("K032", text, register=row.input_register, hint="renumber both programs")
    return sorted(rows, key=lambda row: (row.semantic.index, row.input_register))


def no_carrier(job: Job, row: Relocation, what: str) -> None:
    """Note an error: no `what` of the device can carry this semantic."""
    if row.semantic.name == "BCOLOR":
        hint = f"read COLOR[{row.semantic.index}]; under two-sided light it has the back color on back faces"
    else:
        hint = "carry it in a GENERIC semantic, in both programs"
    job.error("K032", f"IN[{row.input_register}] {row.semantic} has no {what}", register=row.input_register, hint=hint)


def fed_by_nothing(job: Job, row: Relocation, effect: str) -> None:
    """Note a warning about an input without an output. `effect`: value that the fragment program then reads."""
    hint = f"write {row.semantic} in the vertex program, or give the fragment program another input"
    job.warning("K034", f"IN[{row.input_register}] {row.semantic} is fed by nothing; {effect}", register=row.input_register, hint=hint)


def check_channels(job: Job, row: Relocation, carried: int, effect: str) -> None:
    """Note a warning if the fragment program reads channels missing from the carrier. `effect`: value of these channels."""
    if row.output_register is not None and row.usage_mask & ~carried:
        text = f"IN[{row.input_register}] {row.semantic}{mask_text(row.usage_mask & ~carried)}: {effect}"
        hint = f"read {row.semantic}{mask_text(carried)} only, or carry the rest in a GENERIC semantic"
        job.warning("K036", text, register=row.input_register, hint=hint)


def check_sides(job: Job, row: Relocation) -> None:
    """Note warnings about a color on a device that has fixed registers for COLOR k and BCOLOR k, one for each side of a polygon."""
    source = job.source(row)
    if source is None or source.name not in _COLOR_NAMES:
        return
    where = f"IN[{row.input_register}] {row.semantic}"
    if source.name == "BCOLOR":
        text = f"{where}: front faces read COLOR[{source.index}], which nothing writes"
        job.warning("K036", text, register=row.input_register, hint=f"write COLOR[{source.index}] in the vertex program")
    if job.options.light_twoside and job.table.back.get(source.index) != job.table.back_register(row):
        text = f"{where}: back faces read BCOLOR[{source.index}], which " + (
            "nothing writes" if source.index not in job.table.back else "belongs to another color"
        )
        hint = f"write BCOLOR[{row.semantic.index}] in the vertex program, or turn two-sided light off"
        job.warning("K036", text, register=row.input_register, hint=hint)


def refuse_indexed_inputs(job: Job) -> None:
    """Refuse a fragment program that computes the number of an input, on a device without indirect inputs."""
    for item in job.instructions:
        for operand in item.src:
            if operand.register.file is File.IN and operand.register.indirect is not None:
                text = f"instructions name their inputs, and this {item.opcode.name} computes the number of one"
                job.error("K031", text, span=item.span, hint="read the inputs one by one and select with CMP or UCMP")
                return


def too_many(job: Job, count: int, limit: int, what: str) -> None:
    """Note that a limit is exceeded."""
    if count > limit:
        rows = job.table.rows
        register = rows[-1].input_register if rows else None
        hint = "read fewer varyings, or pack two into one"
        job.error("K030", f"the fragment program needs {count} {what}, the device has {limit}", register=register, hint=hint)
