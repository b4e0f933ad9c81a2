"""The forms in which `tgsi-compile` shows a link: table, JSON, and a linked program as text or tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from linkage.device_link import DeviceLink
from linkage.device_opcodes import TRANSLATED
from linkage.device_programs import device_pair, device_program
from linkage.linker import Linker, OutputLinker, linked_program
from linkage.options import DEFAULT, IDENTITY, LinkOptions, LinkState
from linkage.profiles import PROFILES
from linkage.table import NAMED_OUTPUTS, LinkTable
from linkage.text import channels_text
from tgsi.language.program import Program
from tgsi.language.tokens.encoder import encode


def _device_json(device: DeviceLink) -> dict[str, Any]:
    return {
        "blocks": [{"name": b.name, "width": b.width, "values": list(b.values), "notes": list(b.notes)} for b in device.blocks],
        "places": [{"what": p.what, "place": p.place} for p in device.places],
        "patches": [
            {"kind": p.kind, "word": p.field.word, "shift": p.field.shift, "width": p.field.width, "value": p.value, "note": p.note}
            for p in device.patches
        ],
    }


def show(
    tables: Sequence[LinkTable],
    programs: Sequence[Program],
    form: str,
    *,
    state: LinkState = IDENTITY,
    options: LinkOptions = DEFAULT,
    moved: str = "fragment",
) -> str:
    """The links of a chain in one of four forms.

    `link`: the tables. `json`: of a pair, `as_json`; of a longer chain an object `links` with one for each pair, which has `from` and `to`,
    too. `text`: one program of the last pair with renumbered registers; `moved` names it. `tokens`: the same program as tokens.
    For nv30, nv40 and i915 it is the program in the device's form (`linkage.device_programs`).
    """
    names = [program.processor.name for program in programs]
    pairs = list(zip(names, names[1:], tables))
    if form == "json":
        chain = {"links": [{"from": first, "to": second, **as_json(table)} for first, second, table in pairs]}
        return json.dumps(as_json(tables[0]) if len(tables) == 1 else chain, indent=1) + "\n"
    if form == "link":
        heads = [f"{first} to {second}, " if len(tables) > 1 else "" for first, second, _ in pairs]
        named = [_names(first, second) for first, second in pairwise(programs)]
        return "\n".join(f"{head}{table}\n{names}" for head, table, names in zip(heads, tables, named))
    vertex, fragment = programs[-2:]
    profile = tables[-1].profile
    if profile in TRANSLATED:
        chip = device_pair(vertex, fragment, profile, state=state, options=options)
        is_numbered = PROFILES[profile].codes is not None
        if is_numbered or moved == "fragment":
            moved_program = chip[moved == "fragment"]
        else:
            moved_program = linked_program(chip[0], device_program(fragment, profile), state=state, moved=moved)
        return str(moved_program) if form == "text" else "".join(f"{word:08x}\n" for word in encode(moved_program))
    if form == "text":
        return str(linked_program(vertex, fragment, state=state, moved=moved))
    if moved == "vertex":
        words = OutputLinker(vertex, copies=1, state=state).link(fragment).words
    else:
        words = Linker(fragment, copies=1, state=state).link(vertex).words
    return "".join(f"{word:08x}\n" for word in words)


def _names(producer: Program, consumer: Program) -> str:
    """A line with the values matched by name, each after its semantic; "" if there are none."""
    outputs = producer.interface.outputs if producer.interface else {}
    inputs = consumer.interface.inputs if consumer.interface else {}
    names = {port.semantic: port.name for port in (*outputs.values(), *inputs.values()) if port.location < 0}
    return f"names: {', '.join(f'{semantic} {name}' for semantic, name in names.items())}\n" if names else ""


def as_json(table: LinkTable) -> dict[str, Any]:
    """The table as plain data. Registers are numbers or None; masks have x in bit 0."""
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
                "channels": channels_text(row),
                "interpolation": row.interpolation.name,
                "location": row.location.name,
                **({"per_primitive": True} if row.per_primitive else {}),
            }
            for row in table.rows
        ],
        "specials": [{"semantic": str(s.semantic), "input_register": s.input_register, "usage_mask": s.usage_mask} for s in table.specials],
        **{field: getattr(table, field) for field, _ in NAMED_OUTPUTS},
        "clip_distance": list(table.clip_distance),
        "back": {str(index): register for index, register in sorted(table.back.items())},
        "dead_outputs": [{"semantic": str(d.semantic), "output_register": d.output_register} for d in table.dead_outputs],
        "unmatched_inputs": [
            {"semantic": str(u.semantic), "input_register": u.input_register, "nearest": [str(n) for n in u.nearest]}
            for u in table.unmatched_inputs
        ],
        "unwritten": [
            {
                "semantic": str(u.semantic),
                "output_register": u.output_register,
                "input_register": u.input_register,
                "never": u.never,
                "sometimes": u.sometimes,
            }
            for u in table.unwritten
        ],
        "device": None if table.device is None else _device_json(table.device),
        "findings": [d.as_json() for d in table.findings],
    }
