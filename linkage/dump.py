"""Link tables for people, and as JSON."""

from __future__ import annotations

import json
from typing import Any

from linkage.device import DeviceLink
from linkage.findings import findings
from linkage.linker import Linker, linked_program
from linkage.table import LinkTable, Relocation
from tgsi.language.facts.enums import CHANNELS
from tgsi.language.ir import XYZW, Program

_NAMED = (
    ("position", "POSITION"),
    ("point_size", "PSIZE"),
    ("layer", "LAYER"),
    ("viewport", "VIEWPORT_INDEX"),
    ("edge_flag", "EDGEFLAG"),
    ("clip_vertex", "CLIPVERTEX"),
)
_LONG = 80
"""Tables with more entries are shown sixteen to a line."""

_HEADER = ("slot", "fragment", "semantic", "reads", "from", "channels", "interpolation")


def _mask(mask: int) -> str:
    return "." + "".join(c for i, c in enumerate(CHANNELS) if mask >> i & 1)


def _channels(row: Relocation) -> str:
    """The value of each channel of the slot, `-` where nobody reads it."""
    source = CHANNELS if row.output_register is not None else "0001"
    return "".join(source[i] if row.usage_mask >> i & 1 else "-" for i in range(4))


def _interpolation(row: Relocation) -> str:
    place = "" if row.location.name == "CENTER" else f", {row.location.name}"
    return row.interpolation.name + place


def _origin(row: Relocation, table: LinkTable) -> str:
    if row.output_register is None:
        return "nothing"
    back = table.back_register(row)
    return f"OUT[{row.output_register}]" + (f" / back OUT[{back}]" if back != row.output_register else "")


def dump(table: LinkTable) -> str:
    """The table as aligned text: one line a slot, then what the rasterizer takes, then warnings. Ends without a newline."""
    lines = [f"profile {table.profile}: {table.slots} slot{'s' if table.slots != 1 else ''}"]
    cells = [
        (
            str(row.slot),
            f"IN[{row.input_register}]",
            str(row.semantic),
            _mask(row.usage_mask),
            _origin(row, table),
            _channels(row),
            _interpolation(row),
        )
        for row in table.rows
    ]
    if cells:
        widths = [max(len(line[i]) for line in (_HEADER, *cells)) for i in range(len(_HEADER))]
        lines += ["  " + "  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in (_HEADER, *cells)]
    named = [f"{name} OUT[{register}]" for field, name in _NAMED if (register := getattr(table, field)) is not None]
    named += [f"CLIPDIST[{i}] OUT[{r}]" for i, r in enumerate(table.clip_distance) if r is not None]
    named += [f"BCOLOR[{i}] OUT[{r}]" for i, r in sorted(table.back.items())]
    if named:
        lines.append("rasterizer takes: " + ", ".join(named))
    if table.specials:
        given = (f"IN[{s.input_register}] {s.semantic}{'' if s.usage_mask == XYZW else ' ' + _mask(s.usage_mask)}" for s in table.specials)
        lines.append("rasterizer gives: " + ", ".join(given))
    if table.device is not None:
        lines += _device(table.device)
    lines += [f"{d.severity.value}[{d.code}]: {d.message}" + (f"; {d.hint}" if d.hint else "") for d in findings(table)]
    return "\n".join(lines)


def _device(device: DeviceLink) -> list[str]:
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
                if i and row == rows[i - 1]:  # as hexdump: a star for rows that repeat
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


def _device_json(device: DeviceLink) -> dict[str, Any]:
    return {
        "blocks": [{"name": b.name, "width": b.width, "values": list(b.values), "notes": list(b.notes)} for b in device.blocks],
        "places": [{"what": p.what, "place": p.place} for p in device.places],
        "patches": [
            {"kind": p.kind, "word": p.field.word, "shift": p.field.shift, "width": p.field.width, "value": p.value, "note": p.note}
            for p in device.patches
        ],
    }


def show(table: LinkTable, vertex: Program, fragment: Program, form: str) -> str:
    """A link as `link` (the table), `json`, `text` (the fragment program with its inputs moved) or `tokens` (the same, patched)."""
    if form == "json":
        return json.dumps(as_json(table), indent=1) + "\n"
    if form == "link":
        return dump(table) + "\n"
    if form == "text":
        return str(linked_program(vertex, fragment))
    return "".join(f"{word:08x}\n" for word in Linker(fragment, copies=1).link(vertex).words)


def as_json(table: LinkTable) -> dict[str, Any]:
    """The table as plain data. Registers are numbers, None where there is none; masks have x in bit 0."""
    return {
        "profile": table.profile,
        "slots": table.slots,
        "rows": [
            {
                "slot": row.slot,
                "semantic": str(row.semantic),
                "input_register": row.input_register,
                "output_register": row.output_register,
                "back_register": table.back_register(row),
                "usage_mask": row.usage_mask,
                "channels": _channels(row),
                "interpolation": row.interpolation.name,
                "location": row.location.name,
            }
            for row in table.rows
        ],
        "specials": [{"semantic": str(s.semantic), "input_register": s.input_register, "usage_mask": s.usage_mask} for s in table.specials],
        **{field: getattr(table, field) for field, _ in _NAMED},
        "clip_distance": list(table.clip_distance),
        "back": {str(index): register for index, register in sorted(table.back.items())},
        "dead_outputs": [{"semantic": str(d.semantic), "output_register": d.output_register} for d in table.dead_outputs],
        "unmatched_inputs": [
            {"semantic": str(u.semantic), "input_register": u.input_register, "nearest": [str(n) for n in u.nearest]}
            for u in table.unmatched_inputs
        ],
        "device": None if table.device is None else _device_json(table.device),
        "findings": [d.as_json() for d in findings(table)],
    }
