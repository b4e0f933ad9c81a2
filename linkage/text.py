"""The parts of a link table as lines of aligned text, for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from linkage.device_link import DeviceLink
from linkage.rows import Relocation, Unwritten
from tgsi.language.diagnostics import Diagnostic, Label, Severity
from tgsi.language.facts.enums import CHANNELS
from tgsi.language.facts.semantics import Semantic
from tgsi.language.program import Program

_LONG = 80
"""Tables with more entries are shown sixteen to a line."""

HEADER = ("slot", "fragment", "semantic", "reads", "from", "channels", "interpolation")


def mask_text(mask: int) -> str:
    """A mask of channels as ``.xyz``."""
    return "." + "".join(c for i, c in enumerate(CHANNELS) if mask >> i & 1)


def channels_text(row: Relocation) -> str:
    """The value of each channel of the slot, one character a channel; `-` for channels that the fragment program does not read."""
    source = CHANNELS if row.output_register is not None else "0001"
    return "".join(source[i] if row.usage_mask >> i & 1 else "-" for i in range(4))


def _interpolation(row: Relocation) -> str:
    place = "" if row.location.name == "CENTER" else f", {row.location.name}"
    return row.interpolation.name + place + ", once a primitive" * row.per_primitive


def _origin(row: Relocation, back: int | None) -> str:
    if row.output_register is None:
        return "nothing"
    return f"OUT[{row.output_register}]" + (f" / back OUT[{back}]" if back != row.output_register else "")


def names_of(*programs: Program) -> dict[Semantic, str]:
    """The names of varyings by their semantics, from the programs' texts in other languages; the last text wins."""
    names: dict[Semantic, str] = {}
    for program in programs:
        ports = () if program.interface is None else (*program.interface.outputs.values(), *program.interface.inputs.values())
        for port in ports:
            name, _, index = port.semantic.rstrip("]").partition("[")
            for k in range(port.registers if index.isdecimal() else 0):
                names[Semantic(name, int(index) + k)] = port.name + (f", register {k}" if port.registers > 1 else "")
    return names


def named(semantic: Semantic, names: Mapping[Semantic, str]) -> str:
    """A semantic, with the name of its varying if it has one."""
    return f"{semantic} {names[semantic]}" if semantic in names else str(semantic)


def row_lines(
    rows: Sequence[Relocation], back_register: Callable[[Relocation], int | None], names: Mapping[Semantic, str] | None = None
) -> list[str]:
    """A header and a line for each row, in columns; empty without rows. `back_register` names the output that back faces read."""
    if not rows:
        return []
    cells = row_cells(rows, back_register, names)
    widths = [max(len(line[i]) for line in (HEADER, *cells)) for i in range(len(HEADER))]
    return ["  " + "  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in (HEADER, *cells)]


def row_cells(
    rows: Sequence[Relocation], back_register: Callable[[Relocation], int | None], names: Mapping[Semantic, str] | None = None
) -> list[tuple[str, ...]]:
    """The texts of each row, as `HEADER` names them."""
    return [
        (
            str(row.slot),
            f"IN[{row.input_register}]",
            named(row.semantic, names or {}),
            mask_text(row.usage_mask),
            _origin(row, back_register(row)),
            channels_text(row),
            _interpolation(row),
        )
        for row in rows
    ]


def device_lines(device: DeviceLink) -> list[str]:
    """The carriers, the blocks as hexadecimal digits with their notes, and the patches of a device's link."""
    lines = []
    if device.places:
        width = max(len(place.what) for place in device.places)
        lines += ["carriers:", *(f"  {place.what.ljust(width)}  {place.place}" for place in device.places)]
    for block in device.blocks:
        digits = block.width // 4
        size = f"{len(block.values)} {'byte' if block.width == 8 else f'{block.width}-bit word'}{'s' * (len(block.values) != 1)}"
        lines.append(f"{block.name} ({size}):")
        if len(block.values) > _LONG:
            rows = [block.values[at : at + 16] for at in range(0, len(block.values), 16)]
            for i, row in enumerate(rows):
                if i and row == rows[i - 1]:  # as in hexdump: a star for repeated rows
                    if lines[-1] != "  *":
                        lines.append("  *")
                    continue
                lines.append(f"  {16 * i:02x}: " + " ".join(f"{value:0{digits}x}" for value in row))
        else:
            lines += [f"  {value:0{digits}x}  {note}".rstrip() for value, note in zip(block.values, block.notes)]
    if device.patches:
        lines.append("patches (token word, bits, value):")
        lines += [f"  {p.field.word:5}  {p.field.shift}+{p.field.width}  {p.value:#04x}  {p.kind} {p.note}" for p in device.patches]
    return lines


def unwritten_finding(item: Unwritten) -> Diagnostic:
    """The warning (K015) about an output that is read but may be unwritten."""
    reader = "the rasterizer" if item.input_register is None else f"IN[{item.input_register}]"
    parts = []
    if item.never:
        parts.append(f"nothing writes OUT[{item.output_register}]{mask_text(item.never)}")
    if item.sometimes:
        parts.append(f"OUT[{item.output_register}]{mask_text(item.sometimes)} is not written on every path")
    mask = mask_text(item.never | item.sometimes)
    hint = f"write OUT[{item.output_register}]{mask} before the first branch, or read less of it"
    return Diagnostic(
        "K015",
        Severity.WARNING,
        f"{reader} reads {item.semantic}{mask}, but {' and '.join(parts)}",
        tuple(Label(span, text) for span, text in zip(item.spans, ("declared here", "read here"))),
        hint,
    )
