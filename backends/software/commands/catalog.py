"""The module of all generated functions of the executor."""

from __future__ import annotations

from backends.geometry.steps import build_steps
from backends.llvm.builder.module import Module
from backends.raster.front.bound_values import build_write_values
from backends.software.commands.approvals import build_is_approved, build_meets_targets, build_meets_written
from backends.software.commands.assembly import build_count_written, build_write_out
from backends.software.commands.clears import build_clear
from backends.software.commands.compose import build_compose
from backends.software.commands.copies import build_find_copy, build_note_copy
from backends.software.commands.draws import build_draw
from backends.software.commands.environments import build_environment
from backends.software.commands.flushes import (
    build_carry_out,
    build_carry_out_all,
    build_carry_out_uses,
    build_carry_out_writes,
    build_has_work,
    build_passed_samples,
)
from backends.software.commands.lookup import build_find
from backends.software.commands.many import build_draw_many
from backends.software.commands.memory import build_allocate, build_note_read, build_reads_meet
from backends.software.commands.spans import build_append
from backends.software.commands.staged import build_prepare_staged, build_run_staged
from backends.software.commands.targets import build_bind_targets
from backends.software.commands.uploads import build_awaits_upload, build_copy_rows, build_upload, build_upload_plain
from backends.software.commands.vertices import build_placed_draw

STEPS = (
    build_write_values,
    build_allocate,
    build_meets_written,
    build_meets_targets,
    build_is_approved,
    build_note_read,
    build_reads_meet,
    build_awaits_upload,
    build_copy_rows,
    build_upload,
    build_upload_plain,
    build_find_copy,
    build_note_copy,
    build_find,
    build_compose,
    build_environment,
    build_placed_draw,
    build_count_written,
    build_write_out,
    build_append,
    build_bind_targets,
    build_clear,
    build_carry_out,
    build_carry_out_all,
    build_carry_out_writes,
    build_carry_out_uses,
    build_has_work,
    build_passed_samples,
    build_prepare_staged,
    build_steps,
    build_run_staged,
    build_draw,
    build_draw_many,
)


def build_commands(module: Module) -> None:
    """Every function of STEPS."""
    for build in STEPS:
        build(module)
