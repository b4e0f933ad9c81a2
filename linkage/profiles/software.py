"""Our own renderer: a slot for each of the fragment program's input registers; the output register of each slot is chosen at run time."""

from __future__ import annotations

from linkage.device import Job, Profile
from passes.validate.semantics import SOFTWARE

ABSENT = 0xFF


def build(job: Job) -> None:
    """Build one byte for each slot: the output register that fills it, or 0xff for 0, 0, 0, 1."""
    entries = []
    for row in job.table.rows:
        register = row.output_register
        entries.append((ABSENT if register is None else register & 0xFF, f"{row.semantic} to IN[{row.input_register}]"))
        job.place(f"IN[{row.input_register}] {row.semantic}", f"slot {row.slot}")
    job.block("slots", 8, entries)


PROFILE = Profile("software", "tgsi's own rasterizer", SOFTWARE, build=build)
