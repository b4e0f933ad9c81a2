"""Links of devices decoded back: the value that each component of each fragment input has, read from the device's own tables.

Only blocks, patches, carriers and declared limits are looked at, never the rows of the link table.
"""

from __future__ import annotations

from collections.abc import Callable

from linkage.device_link import DeviceLink
from linkage.relocate import relocations
from linkage.table import LinkTable
from linkage.usage import interface_of
from tests.property.linked_pairs import Pair
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.record import record
from tgsi.language.tokens.encoder import encode

ONES = (1.0, 1.0, 1.0, 1.0)
DEFAULT = (0.0, 0.0, 0.0, 1.0)


@record
class Value:
    """The value of one component: of an output (`register`, `channel`), a number, the point coordinate, an input that the rasterizer
    makes (`special`), or, if nothing is given, left to chance.
    """

    register: int | None = None
    channel: int = 0
    number: float | None = None
    is_sprite: bool = False
    special: str = ""


CHANCE = Value()
Reader = Callable[[int, int, str], tuple[Value, Value]]
"""From an input register, a channel and the input as text to its value on front and on back faces."""


def of_output(register: int | None, channel: int) -> Value:
    """A component of an output; CHANCE for none."""
    return CHANCE if register is None or register == 0xFF else Value(register, channel)


def expected(pair: Pair, table: LinkTable) -> dict[tuple[int, int], tuple[Value, Value]]:
    """The values of the software profile: of each input register and channel that is read, on front and on back faces."""
    found = {}
    for row in table.rows:
        behind = table.back_register(row) if pair.options.light_twoside else row.output_register
        for channel in (c for c in range(4) if row.usage_mask >> c & 1):
            if row.semantic.name in ("GENERIC", "TEXCOORD") and pair.options.sprite_coord_enable >> row.semantic.index & 1:
                front = back = Value(channel=channel, is_sprite=True)
            else:
                front, back = (
                    Value(number=DEFAULT[channel]) if register is None else Value(register, channel)
                    for register in (row.output_register, behind)
                )
            found[row.input_register, channel] = front, back
    for item in table.specials:
        for channel in (c for c in range(4) if item.usage_mask >> c & 1):
            value = Value(channel=channel, is_sprite=True) if item.semantic.name == "PCOORD" else special(item.semantic.name, channel)
            found[item.input_register, channel] = value, value
    return found


def special(name: str, channel: int) -> Value:
    """A component of an input that the rasterizer makes."""
    return Value(channel=channel, special=name)


def decoded(pair: Pair, table: LinkTable) -> dict[tuple[int, int], tuple[Value, Value]]:
    """The values that a device's link gives, in the form of `expected`."""
    assert table.device is not None
    read = READERS[table.profile](pair, table.device)
    interface = interface_of(pair.fragment)
    return {
        (item.register, channel): read(item.register, channel, f"IN[{item.register}] {item.semantic}")
        for item in (*interface.varyings, *interface.specials)
        for channel in range(4)
        if item.usage_mask >> channel & 1
    }


def _place(device: DeviceLink, what: str) -> str | None:
    return next((place.place for place in device.places if place.what == what), None)


def _output(pair: Pair, semantic: Semantic) -> int | None:
    return interface_of(pair.vertex).by_semantic.get(semantic)


def _color(pair: Pair, index: int, channel: int) -> tuple[Value, Value]:
    """Fixed registers for COLOR and BCOLOR."""
    front = of_output(_output(pair, Semantic("COLOR", index)), channel)
    return front, of_output(_output(pair, Semantic("BCOLOR", index)), channel) if pair.options.light_twoside else front


def nvfx(pair: Pair, device: DeviceLink) -> Reader:
    words, outputs = relocations(encode(pair.fragment)), device.block("interpolants").values
    patched = {(p.field.word, p.field.shift): p.value for p in device.patches if p.kind != "constant"}

    def read(register: int, channel: int, what: str) -> tuple[Value, Value]:
        fields = [(f.word, f.shift) for f in words.by_register[register] if f.shift == 6]
        codes = {patched[field] for field in fields if field in patched}
        assert len(codes) <= 1
        assert not codes or all(field in patched for field in fields), "a word that reads the input is unchanged"
        place = _place(device, what)
        if codes:
            (code,) = codes
            number = code & 15
            if code == 0x0F:
                return CHANCE, CHANCE
            value = of_output(outputs[number], channel)
            if value == CHANCE:  # nothing is written there but the point coordinate
                value = Value(channel=channel, is_sprite=True)
            return value, value
        if place == "fog (w is 1)":
            value = Value(number=1.0) if channel == 3 else of_output(_output(pair, Semantic("FOG")), channel)
            return value, value
        if place is not None and place.startswith("color "):
            return _color(pair, int(place[6:]), channel)
        fixed = {"window position": "POSITION", "facing": "FACE"}
        value = special(fixed[place or ""], channel)
        return value, value

    return read


def nv50(pair: Pair, device: DeviceLink) -> Reader:
    entries, results = device.block("map").values, device.block("results").values
    sprites = device.block("sprite").values if any(b.name == "sprite" for b in device.blocks) else (0,) * 8
    first_front, first_back = device.block("color ids").values
    base = 0x80 if pair.vertex.processor is Processor.GEOM else 0x40
    masks = {item.register: item.usage_mask for item in interface_of(pair.fragment).varyings}

    def entry(at: int) -> Value:
        if sprites[at // 8] >> at % 8 * 4 & 15:
            return Value(channel=(sprites[at // 8] >> at % 8 * 4 & 15) - 1, is_sprite=True)
        code = entries[at]
        return Value(number=float(code & 1)) if code >= base else Value(results[code] >> 2, results[code] & 3)

    def read(register: int, channel: int, what: str) -> tuple[Value, Value]:
        place = _place(device, what) or ""
        if place == "fixed" or what.endswith("PRIM_ID"):
            value = special(what.split()[1], channel)
            return value, value
        first, last = (int(word) for word in place.removeprefix("map ").split(" to "))
        is_whole = last - first == 3
        at = first + (channel if is_whole else (masks[register] & (1 << channel) - 1).bit_count())
        front = entry(at)
        is_color = " COLOR" in what and pair.options.light_twoside
        return front, entry(first_back + at - first_front) if is_color else front

    return read


def r300(pair: Pair, device: DeviceLink) -> Reader:
    sources = device.block("color outputs").values, device.block("texture outputs").values
    entries = {word >> 10 & 63: word for word in device.block("rs block").values}
    assert len(entries) == len({word >> 10 & 63 for word in device.block("rs block").values})

    def read(register: int, channel: int, what: str) -> tuple[Value, Value]:
        word = entries.get(register)
        if word is None:
            return CHANCE, CHANCE
        part = word >> 16 + 3 * channel & 7
        if part > 3:
            value = Value(channel=channel, is_sprite=True) if _sprite_part(word) else Value(number=part - 4.0)
            return value, value
        output = sources[word & 15][word >> 4 & 63]
        if output != 0xFF:
            value = of_output(output, part)
            semantic = next(o.semantic for o in interface_of(pair.vertex).outputs if o.register == output)
            return _color(pair, semantic.index, part) if not word & 15 and semantic.name in ("COLOR", "BCOLOR") else (value, value)
        if what.endswith((" POSITION", " FACE")):
            value = special(what.split()[1], channel)
        else:
            value = Value(channel=channel, is_sprite=True)
        return value, value

    return read


def _sprite_part(word: int) -> bool:
    return tuple(word >> 16 + 3 * c & 7 for c in range(4)) == (0, 1, 4, 5)


def r600(pair: Pair, device: DeviceLink) -> Reader:
    words, exports = device.block("output ids").values, device.block("exports").values
    ids = [word >> 8 * i & 0xFF for word in words for i in range(4)][: len(exports)]
    assert len(set(ids)) == len(ids), "two outputs have one id"
    assert 0 not in ids
    owner = dict(zip(ids, exports))
    block = device.block("input words")
    entries = dict(zip(block.notes, block.values))

    def one(word: int, channel: int) -> Value:
        if word & 1 << 17:
            return Value(channel=channel, is_sprite=True)
        if word & 0xFF in owner:
            return Value(owner[word & 0xFF], channel)
        return Value(number=1.0 if word >> 8 & 3 == 3 else 0.0)

    def read(register: int, channel: int, what: str) -> tuple[Value, Value]:
        word = entries[what]
        if _place(device, what) == "special index":
            value = Value(channel=channel, is_sprite=True) if word & 1 << 17 else special(what.split()[1], channel)
            assert not word & 0xFF or word & 0xFF not in owner or _output(pair, Semantic("PRIM_ID")) is not None
            return value, value
        front = one(word, channel)
        behind = entries.get(f"back of IN[{register}], chosen by facing")
        return front, front if behind is None else one(behind, channel)

    return read


def svga(pair: Pair, device: DeviceLink) -> Reader:
    block = device.block("output names")
    owners: dict[int, list[int]] = {}
    for word, note in zip(block.values, block.notes):
        owners.setdefault(word, []).append(int(note.split("]")[0][4:]))
    inputs = {note.split(" is ")[0]: word for word, note in zip(device.block("input names").values, device.block("input names").notes)}
    backs = {}
    if any(b.name == "back names" for b in device.blocks):
        backs = {n.split(" is ")[0]: word for word, n in zip(device.block("back names").values, device.block("back names").notes)}

    def one(word: int, channel: int) -> Value:
        found = set(owners.get(word, ()))
        assert len(found) < 2, "two outputs have the name of an input"
        return of_output(next(iter(found), None), channel)

    def read(register: int, channel: int, what: str) -> tuple[Value, Value]:
        if what not in inputs:
            place = {"VPOS": "POSITION", "VFACE": "FACE"}.get(_place(device, what) or "")
            value = special(place, channel) if place else Value(channel=channel, is_sprite=True)
            return value, value
        front = one(inputs[what], channel)
        behind = backs.get(f"back of IN[{register}]")
        return front, front if behind is None else one(behind, channel)

    return read


def svga10(pair: Pair, device: DeviceLink) -> Reader:
    outputs = {output.register for output in interface_of(pair.vertex).outputs}
    block = device.block("input slots")
    slots = {note.split(" with ")[0]: value for note, value in zip(block.notes, block.values)}
    sprites = _points(device)
    copies = {}
    if any(b.name == "clip shadows" for b in device.blocks):
        shadows = device.block("clip shadows")
        copies = {value: int(note.split("[")[1][:-1]) for value, note in zip(shadows.values, shadows.notes)}

    def one(slot: int, channel: int) -> Value:
        register = copies.get(slot, slot)
        return Value(register, channel) if register in outputs else CHANCE

    def read(register: int, channel: int, what: str) -> tuple[Value, Value]:
        if register in sprites or what.endswith("PCOORD"):
            value = Value(channel=channel, is_sprite=True)
            return value, value
        if _place(device, what) == "system value":
            value = special(what.split()[1], channel)
            return value, value
        front = one(slots[what], channel)
        behind = slots.get(f"back of IN[{register}], chosen by facing")
        return front, front if behind is None else one(behind, channel)

    return read


def _points(device: DeviceLink) -> set[int]:
    return set(device.block("point coordinates").values) if any(b.name == "point coordinates" for b in device.blocks) else set()


def i915(pair: Pair, device: DeviceLink) -> Reader:
    block = device.block("vertex layout")
    units = {word >> 12: word for word in block.values if word >> 12 != 15}
    fixed = {note.split(": ")[1]: word for note, word in zip(block.notes, block.values) if ": " in note}
    points = _points(device)

    def read(register: int, channel: int, what: str) -> tuple[Value, Value]:
        place = _place(device, what) or ""
        if place.startswith("unit "):
            unit = int(place[5:])
            word = units[unit]
            if device.block("units").values[unit] == 0xFE and what.endswith(" POSITION"):
                value = special("POSITION", channel)
            elif unit in points:
                value = Value(channel=channel, is_sprite=True)
            else:
                value = of_output(word & 0xFF, channel) if channel < (word >> 8 & 15) else CHANCE
            return value, value
        word = fixed[place]
        size = 4 if place != "fog" else 1
        front = of_output(word & 0xFF, channel) if channel < size else CHANCE
        if place == "specular" and channel == 3:
            front = Value(number=1.0)
        if place == "fog" or front.register is None or not pair.options.light_twoside:
            return front, front
        index = ("diffuse", "specular").index(place)
        behind = _output(pair, Semantic("BCOLOR", index))  # a stage in software chooses the side
        return front, front if behind is None else Value(behind, channel)

    return read


READERS: dict[str, Callable[[Pair, DeviceLink], Reader]] = {
    "nv30": nvfx,
    "nv40": nvfx,
    "nv50": nv50,
    "r300": r300,
    "r500": r300,
    "r600": r600,
    "svga": svga,
    "svga10": svga10,
    "i915": i915,
}
"""Decoders by profile. Those of `software`, which has its own table, and `i965`, which links nothing, need none."""
