"""Rules of sizes: numbers of instructions, immediates and registers within a limit set."""

from __future__ import annotations

from passes.validate.context import Context
from tgsi.language.facts.enums import File
from tgsi.language.ir import Declaration

_FIELDS = {
    File.TEMP: "temporaries",
    File.IN: "inputs",
    File.OUT: "outputs",
    File.ADDR: "addresses",
    File.SV: "system_values",
    File.CONST: "constants",
    File.SAMP: "samplers",
    File.SVIEW: "sampler_views",
    File.IMAGE: "images",
    File.BUFFER: "buffers",
}


def check(context: Context) -> None:
    """Check S001, S003 to S005."""
    program, limits = context.program, context.limits
    if len(program.instructions) > limits.instructions:
        message = f"the program has {len(program.instructions)} instructions, the limit is {limits.instructions}"
        context.error("S001", message, program.instructions[limits.instructions])
    if len(program.immediates) > limits.immediates:
        message = f"the program has {len(program.immediates)} immediates, the limit is {limits.immediates}"
        context.error("S003", message, program.immediates[limits.immediates])
    for item in context.declarations:
        _check_one(context, item)


def _check_one(context: Context, item: Declaration) -> None:
    if item.file is File.CONST and (item.dimension or 0) >= context.limits.constant_buffers:
        context.error("S004", f"there are {context.limits.constant_buffers} constant buffers, none has number {item.dimension}", item)
    name = _FIELDS.get(item.file)
    if name is None:
        return
    limit: int = getattr(context.limits, name)
    if max(item.first, item.last) >= limit:
        context.error(
            "S005", f"{item.file.name}[{max(item.first, item.last)}] is beyond the limit of {limit} {name.replace('_', ' ')}", item
        )
