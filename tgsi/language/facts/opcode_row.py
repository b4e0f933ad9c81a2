"""Facts of one opcode, and the reader of its row in `tgsi.language.facts.opcodes`."""

from __future__ import annotations

from dataclasses import field
from functools import cache
from typing import Any

from tgsi.language.facts.traits import OTHER_LANES, Flow, Mode, Reads, Trait
from tgsi.language.record import record

_COMPUTED = frozenset({Mode.COMPONENTWISE, Mode.REPLICATE, Mode.CHANNEL_DEPENDENT})


def _derived() -> Any:
    """Return a field that `OpcodeInfo` sets itself."""
    return field(init=False, repr=False)


@record(kw_only=True, eq=False)
class OpcodeInfo:
    """The facts of one opcode.

    Attributes:
        dst_types, src_types: type of each operand: float, int, uint, double, int64, uint64 or untyped.
        modifier_types: by source, the type that negation and absolute value act on.
        reads: by source, the channels that are read before its swizzle (bit 0 is x), or the rule that gives them.
        flow: the part in control flow; None for opcodes that have none.
        skip_cost: operations that a written channel costs, weighed against a jump over an arm that no lane takes.
        products, sums: multiplications and additions of a written channel (of all channels together for `Mode.REPLICATE`), which compete
            for the ports of a CPU; comparisons count as multiplications.
        formula: d is the destination, a b e f g the sources, .c any written channel, .* all alike.
        num_dst, num_src: number of destinations and of sources; a sampler or resource counts as one.
        is_texture: a texture target follows the operands.
        has_offsets: a texture word is present, so that texel offsets may follow.
        has_memory: qualifiers, a target and a format of memory may follow.
        is_store: the opcode writes memory: STORE and atomics. is_atomic: it reads and writes a word of memory in one step.
        stores_to_dst: the destination names the memory that is written instead of a register for the result: STORE.
        is_copy: the result is the source, bit for bit. is_componentwise: the mode is `Mode.COMPONENTWISE`.
        computes_floats: the result is a float or double that arithmetic or a conversion makes: then a NaN in it is the canonical one.
        uses_64bit: an operand is a pair of channels that the write mask selects as one. A handle is not such a pair: its y is always 0.
        looks_at_other_lanes: a result may depend on values of other lanes, as derivatives do; all sampling counts.
        is_computed: the results depend only on the sources' 32-bit values in the same lane.
        is_divisible: besides, each channel of the one result depends on that channel of the sources alone.
        is_removable: the opcode has no effect except on its destinations.
        has_no_effect: NOP, and numbers without an opcode.
        narrows: the write mask only selects the channels that are stored, without changing their values.
    """

    name: str
    number: int
    dst_types: tuple[str, ...]
    src_types: tuple[str, ...]
    modifier_types: tuple[str, ...]
    reads: tuple[int | Reads, ...]
    mode: Mode
    traits: frozenset[Trait]
    flow: Flow | None
    skip_cost: int
    products: int
    sums: int
    formula: str

    # Derived from the row once, because analyses read them for every instruction.
    num_dst: int = _derived()
    num_src: int = _derived()
    is_texture: bool = _derived()
    has_offsets: bool = _derived()
    has_memory: bool = _derived()
    is_store: bool = _derived()
    is_atomic: bool = _derived()
    stores_to_dst: bool = _derived()
    is_copy: bool = _derived()
    is_componentwise: bool = _derived()
    computes_floats: bool = _derived()
    uses_64bit: bool = _derived()
    looks_at_other_lanes: bool = _derived()
    is_computed: bool = _derived()
    is_divisible: bool = _derived()
    is_removable: bool = _derived()
    has_no_effect: bool = _derived()
    narrows: bool = _derived()

    def __post_init__(self) -> None:
        """Derive the fields that follow from the row."""
        traits, mode = self.traits, self.mode
        is_float = bool(self.dst_types) and self.dst_types[0] in ("float", "double")
        derived: dict[str, Any] = {
            "num_dst": len(self.dst_types),
            "num_src": len(self.src_types),
            "is_texture": Trait.TEX in traits,
            "has_offsets": Trait.TEX in traits or Trait.SAMPLE in traits,
            "has_memory": Trait.MEM in traits,
            "is_store": Trait.STORE in traits,
            "is_atomic": Trait.ATOMIC in traits,
            "stores_to_dst": Trait.STORE in traits and Trait.ATOMIC not in traits,
            "is_copy": Trait.COPY in traits,
            "is_componentwise": mode is Mode.COMPONENTWISE,
            "computes_floats": is_float and mode is not Mode.OTHER and Trait.PICKS not in traits,
            "uses_64bit": mode is not Mode.OTHER and not WIDE.isdisjoint(self.dst_types + self.src_types),
        }
        is_wide, is_store, is_single = derived["uses_64bit"], derived["is_store"], derived["num_dst"] == 1
        looks = bool(derived["has_offsets"]) or not OTHER_LANES.isdisjoint(traits)
        is_computed = mode in _COMPUTED and not is_wide and not looks and Trait.HELPER not in traits
        derived |= {
            "looks_at_other_lanes": looks,
            "is_computed": is_computed,
            "is_divisible": is_computed and is_single and mode is Mode.COMPONENTWISE,
            "is_removable": bool(self.dst_types) and not is_store and mode is not Mode.NONE and Trait.VOLATILE not in traits,
            "has_no_effect": Trait.NOTHING in traits,
            "narrows": is_single and not is_wide and not is_store,
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)  # the object is frozen

    @property
    def has_label(self) -> bool:
        """True for opcodes that take a label: ``:n`` may follow."""
        return Trait.LABEL in self.traits

    @property
    def keeps_label(self) -> bool:
        """True for opcodes whose label tokens may hold: those that take one, the start of a subroutine, and opcodes without a name."""
        return self.has_label or Trait.GAP in self.traits or self.flow is Flow.SUBROUTINE

    @property
    def is_later(self) -> bool:
        """True for opcodes that Mesa 18.1 does not have."""
        return Trait.LATER in self.traits


WIDE = frozenset({"double", "int64", "uint64"})
"""Types of 64 bits, which lie in pairs of channels."""


_LETTERS = {"x": 1, "y": 2, "z": 4, "w": 8}
_RULES = {name.lower(): rule for name, rule in Reads.__members__.items()}
_TRAITS = {name.lower(): trait for name, trait in Trait.__members__.items()}


def _split(types: str) -> tuple[str, ...]:
    return tuple(types.split("/")) if types else ()


def _default_reads(mode: Mode, dst_types: tuple[str, ...], src_types: tuple[str, ...], number: int) -> int | Reads:
    """Channels that a source without READS is read in. The pair rules of 64-bit opcodes follow from types and operand counts."""
    if mode is Mode.REPLICATE:
        return 1
    if mode is not Mode.COMPONENTWISE:
        raise ValueError(f"source {number} of a {mode.value} opcode does not say what it reads")
    is_wide, from_wide = dst_types[0] in WIDE, src_types[number] in WIDE
    is_binary = len(src_types) == 2
    if is_wide and from_wide:
        return Reads.PAIRS if is_binary else Reads.WHOLE_PAIRS
    if is_wide:
        return Reads.COUNTS if is_binary else Reads.WIDENED
    if from_wide:  # comparisons keep the place of each pair, conversions pack their results
        return Reads.PAIRS if is_binary else Reads.PACKED
    return Reads.WRITTEN


def _reads(word: str) -> int | Reads:
    if word == "none":
        return 0
    rule = _RULES.get(word)
    return sum(_LETTERS[letter] for letter in word) if rule is None else rule


@cache
def _sources(src: str, dst: str, mode: Mode) -> tuple[tuple[str, ...], tuple[str, ...], tuple[int | Reads, ...]]:
    """Types, types for modifiers and channels read, by source. Few rows differ in all three columns, hence the cache."""
    parts = [part.partition(".") for part in _split(src)]
    types = [part[0].partition(":") for part in parts]
    held = tuple(item[0] for item in types)
    reads = tuple(_reads(part[2]) if part[2] else _default_reads(mode, _split(dst), held, k) for k, part in enumerate(parts))
    return held, tuple(item[2] or item[0] for item in types), reads


@cache
def _words(words: str) -> tuple[frozenset[Trait], Flow | None, int, int, int]:
    """Traits, part in control flow, `skip_cost`, `products` and `sums`."""
    values = dict(word.split("=") for word in words.split() if "=" in word)
    traits = frozenset(_TRAITS[word] for word in words.split() if "=" not in word)
    products, _, sums = values.get("ports", "0+0").partition("+")
    return traits, Flow(values["flow"]) if "flow" in values else None, int(values.get("skip", "1")), int(products), int(sums)


def read_row(number: int, name: str, dst: str, src: str, mode: Mode, words: str, formula: str) -> OpcodeInfo:
    """Read one row; `tgsi.language.facts.opcodes` describes the columns.

    Raises:
        KeyError: a word names no trait, or READS is neither channels nor a rule.
        ValueError: a source without READS has no default in this mode, or there is no such part in control flow.
    """
    src_types, modifier_types, reads = _sources(src, dst, mode)
    traits, flow, skip_cost, products, sums = _words(words)
    return OpcodeInfo(
        name=name,
        number=number,
        dst_types=_split(dst),
        src_types=src_types,
        modifier_types=modifier_types,
        reads=reads,
        mode=mode,
        traits=traits,
        flow=flow,
        skip_cost=skip_cost,
        products=products,
        sums=sums,
        formula=formula,
    )
