"""Rules of sizes: numbers of instructions, immediates and registers within a limit set."""

from __future__ import annotations

from math import inf

from passes.validate.context import Context
from tgsi.language.facts.enums import File
from tgsi.language.facts.limits import SOFTWARE, ShaderLimits

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


def _by_file(limits: ShaderLimits) -> list[float]:
    """Return the limit of each file."""
    return [getattr(limits, _FIELDS[file]) if file in _FIELDS else inf for file in File]


_CONST = File.CONST  # which is looked up for every declaration
_SOFTWARE = _by_file(SOFTWARE)


def check(context: Context) -> None:
    """Check S001, S003 to S005."""
    program, limits = context.program, context.limits
    if len(program.instructions) > limits.instructions:
        message = f"the program has {len(program.instructions)} instructions, the limit is {limits.instructions}"
        context.error("S001", message, program.instructions[limits.instructions])
    if len(program.immediates) > limits.immediates:
        message = f"the program has {len(program.immediates)} immediates, the limit is {limits.immediates}"
        context.error("S003", message, program.immediates[limits.immediates])
    known = _SOFTWARE if limits is SOFTWARE else _by_file(limits)
    for item in context.declarations:
        if item.file is _CONST and (item.dimension or 0) >= limits.constant_buffers:
            context.error("S004", f"there are {limits.constant_buffers} constant buffers, none has number {item.dimension}", item)
        limit = known[item.file]
        if item.last >= limit or item.first >= limit:
            what = f"{item.file.name}[{max(item.first, item.last)}]"
            context.error("S005", f"{what} is beyond the limit of {limit} {_FIELDS[item.file].replace('_', ' ')}", item)
