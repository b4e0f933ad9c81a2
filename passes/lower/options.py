"""Lowerings as one typed record or as text, and the table of fields in the order in which their passes run."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from tgsi.language.record import record

Value = bool | int | float | str | tuple[int | float | str, ...] | None
"""Value of a field. None, False, 0 and an empty text skip the pass; True runs it with its defaults; a tuple has its options."""

KINDS: dict[type, str] = {bool: "yes or no", int: "an integer", float: "a number", str: "a word"}


@record
class Row:
    """A field of `LoweringOptions` and its pass.

    lowering: name of the pass. options: the options that the value sets, in order, with their types. needed: number of options without a
    default. example: the value in a text, for messages. repeats: the pass runs again after other passes, which may reintroduce the feature
    that it removes.
    """

    field: str
    lowering: str
    options: tuple[tuple[str, type], ...] = ()
    needed: int = 0
    example: str = ""
    repeats: bool = False

    @property
    def word(self) -> str:
        """The field's name in a text."""
        return self.field.replace("_", "-")

    @property
    def sample(self) -> str:
        """An example of the field as text."""
        return f"{self.word}={self.example}" if self.example else self.word


_PLACE = (("constant", int), ("buffer", int))
"""Options of passes that read constants: the first register, and the constant buffer."""

_SPRITES = (("generics", int), ("coord", int), ("flips", bool))
"""Options of passes that turn points into squares."""

ROWS = (
    Row("denormal_tests", "lower-denormal-tests"),
    Row("int_limits", "lower-int-limits"),
    Row("nan_limits", "lower-nan-limits"),
    Row("window_position", "lower-window-position", (("origin", str), ("center", str), *_PLACE), 0, "UPPER_LEFT:HALF_INTEGER:8"),
    Row("point_coord", "lower-point-coord", (("generics", int), ("flips", bool)), 1, "0x3"),
    Row("flat_shade", "lower-flat-shade", (("inputs", str),), 0, "COLOR+GENERIC[3]"),
    Row("per_sample", "lower-per-sample", (("inputs", str),), 0, "DECLARED"),
    Row("two_side", "lower-two-side", (("colors", int),), 0, "0x3"),
    Row("clip_planes", "lower-clip-planes", (("planes", int), *_PLACE), 1, "0x3:8"),
    Row("clip_distances", "lower-clip-distances", (("distances", int), ("generic", int)), 2, "0x3:20"),
    Row("edge_flag", "lower-edge-flag", (("attribute", int),), 0, "2"),
    Row("clamp_color", "lower-clamp-color"),
    Row("polygon_stipple", "lower-polygon-stipple", (*_PLACE, ("sampler", int)), 0, "8"),
    Row("smooth_points", "lower-smooth-points", (("generic", int), ("colors", int), *_SPRITES, *_PLACE), 1, "20"),
    Row("smooth_lines", "lower-smooth-lines", (("generic", int), ("colors", int), *_PLACE), 1, "21"),
    Row("point_sprite", "lower-point-sprite", (*_SPRITES, ("square", bool), *_PLACE), 0, "0x3"),
    Row("alpha_test", "lower-alpha-test", (("func", str), ("ref", float), *_PLACE), 1, "GREATER:0.5"),
    Row("indirect", "lower-indirect", (("files", str),), 0, "TEMP+CONST", True),
    Row("saturate_coords", "lower-saturate-coords", (("s", int), ("t", int), ("r", int)), 1, "0x1:0x1"),
    Row("fma", "lower-fma", (("by", str),), 0, "double", True),
    Row("bits64", "lower-64-bit", (("others", str),), 0, "refuse", True),
    Row("opcodes", "lower-opcodes", (("opcodes", str),), 0, "LRP+DP3", True),
    Row("wide_writes", "lower-wide-writes", repeats=True),
)
"""One row for each field, in the order in which the passes run.

First come the rules for special numbers, which apply only to instructions of the given program; then state, inputs before outputs; last
opcodes and operands, so that the instructions that replace state are lowered, too.
"""

BY_FIELD = {row.field: row for row in ROWS}


@record(kw_only=True)
class LoweringOptions:
    """Features that a device lacks, for `tgsi.lower` and ``tgsi-compile --lower``. Every field is off by default.

    True runs a pass with its defaults; any other value sets its first option, a tuple several. A plain 0 is off, so write GENERIC[0] as
    (0,).

    denormal_tests, int_limits, nan_limits: follow the rules of OpenGL's drivers for special numbers; see these passes in docs/passes.md.
    window_position: True, or the device's origin and pixel center. point_coord: bit n lets GENERIC[n] read the point coordinate.
    flat_shade: True, or inputs joined by +; colors are constant over a primitive.
    per_sample: True, or ALL or DECLARED; the program runs for each sample. edge_flag: True, or the input that has the edge flag.
    two_side: True, or bit n for COLOR[n]; FACE chooses between COLOR and BCOLOR. clamp_color: color outputs are clamped to [0, 1].
    clip_planes: bit n for plane n, and its first constant. clip_distances: bit n for distance n, and the GENERIC that carries them.
    polygon_stipple: True, or the pattern's first constant, the buffer, and a texture unit. smooth_points, smooth_lines: the GENERIC that
    carries the position in the shape, and the colors that coverage multiplies. point_sprite: bit n for GENERIC[n], and one for PCOORD.
    alpha_test: the function and the reference, or 0 and the constant that has it.
    indirect: True, or register files joined by +; comparisons replace indirect operands.
    saturate_coords: masks of samplers, for x, y and z of coordinates. fma: True for MAD, or "double" for exact sums in doubles.
    bits64: 64-bit opcodes become 32-bit ones if that is exact; others are kept, or refused with "refuse".
    opcodes: True, or names joined by +; these opcodes are expanded to simpler ones.
    wide_writes: each instruction writes one channel.

    Raises:
        TypeError: a value has another type; the message names the field.
    """

    denormal_tests: bool = False
    int_limits: bool = False
    nan_limits: bool = False
    window_position: Value = None
    point_coord: Value = 0
    flat_shade: str | bool = False
    two_side: int = False
    clip_planes: Value = 0
    clip_distances: tuple[int, int] | None = None
    per_sample: str | bool = False
    edge_flag: int = False
    clamp_color: bool = False
    polygon_stipple: Value = None
    smooth_points: Value = None
    smooth_lines: Value = None
    point_sprite: Value = None
    alpha_test: Value = None
    indirect: str | bool = False
    saturate_coords: int | tuple[int, ...] = 0
    fma: str | bool = False
    bits64: str | bool = False
    opcodes: str | bool = False
    wide_writes: bool = False

    def __post_init__(self) -> None:
        for row in ROWS:
            _check(row, getattr(self, row.field))

    @classmethod
    def parse(cls, text: str) -> LoweringOptions:
        """Read ``"alpha-test=GREATER:0.5,two-side"``; blanks are ignored, and an empty text means no lowering.

        Raises:
            ValueError: a field is unknown or comes twice, or a value has another form; the message names it and the likeliest correction.
        """
        values: dict[str, Any] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            word, equals, value = (part.strip() for part in item.partition("="))
            row = BY_FIELD[known_field(word)]
            if row.field in values:
                raise ValueError(f"{row.word} is given twice")
            values[row.field] = _read(row, value) if equals else _alone(row)
        return cls(**values)

    def __str__(self) -> str:
        """The text that `parse` reads."""
        return ",".join(_written(row, getattr(self, row.field)) for row in ROWS if is_on(getattr(self, row.field)))


def known_field(name: str) -> str:
    """Return the field of a name in any spelling: `two-side`, `two_side`, `TWO_SIDE` and `lower-two-side` are one.

    Raises:
        ValueError: no field has that name; the message gives the most similar one, or all.
    """
    plain = name.lower().replace("-", "_")
    for row in ROWS:
        if plain in (row.field, row.lowering.replace("-", "_")):
            return row.field
    close = get_close_matches(plain, BY_FIELD, 1)
    hint = f"did you mean `{BY_FIELD[close[0]].word}`?" if close else f"known are {', '.join(row.word for row in ROWS)}"
    raise ValueError(f"there is no lowering `{name}`; {hint}")


def is_on(value: Value) -> bool:
    """Return true if the value of a field runs its pass."""
    return value not in (None, False, 0, "", ())


def arguments(row: Row, value: Value) -> dict[str, Any]:
    """Return the options that a field's value sets, by name."""
    if value is True:
        return {}
    return {name: part for (name, _), part in zip(row.options, value if isinstance(value, tuple) else (value,))}


def _check(row: Row, value: Value) -> None:
    """Raise TypeError unless a value has the types of the pass's options."""
    if value is None or isinstance(value, bool):
        if value and row.needed:
            raise TypeError(f"{row.field}: expected a value, as in `{row.sample}`")
        return
    parts = value if isinstance(value, tuple) else (value,)
    if not row.needed <= len(parts) <= len(row.options):
        wanted = f"{row.needed} to {len(row.options)} values" if row.options else "True or False"
        raise TypeError(f"{row.field}: expected {wanted}, not {value!r}")
    for (name, kind), part in zip(row.options, parts):
        if not isinstance(part, int if kind is float else kind) and not (kind is float and isinstance(part, float)):
            raise TypeError(f"{row.field}: {name}: expected {KINDS[kind]}, not {part!r}")


def _alone(row: Row) -> bool:
    """The value of a field that a text gives no value."""
    if row.needed:
        raise ValueError(f"{row.word}: a value is missing, as in `{row.sample}`")
    return True


_YES = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def _read(row: Row, text: str) -> Value:
    """Return the value of a field from its text: yes, no, or options with colons between them."""
    if text.lower() in _YES and not row.needed:
        return _YES[text.lower()]
    words = [word.strip() for word in text.split(":")]
    if not row.options:
        raise ValueError(f"{row.word}: it takes no value but yes and no, not `{text}`")
    if len(words) > len(row.options):
        raise ValueError(f"{row.word}: `{text}` has {len(words)} values, and at most {len(row.options)} are allowed, as in `{row.sample}`")
    if len(words) < row.needed or "" in words:
        raise ValueError(f"{row.word}: a value is missing in `{text}`; it is written as in `{row.sample}`")
    values = [_part(row, name, kind, word) for (name, kind), word in zip(row.options, words)]
    return values[0] if len(row.options) == 1 else tuple(values)


def _part(row: Row, name: str, kind: type, word: str) -> Any:
    try:
        if kind is bool:
            return _YES[word.lower()]
        return int(word, 0) if kind is int else kind(word)
    except (KeyError, ValueError):
        raise ValueError(f"{row.word}: {name}: `{word}` is not {KINDS[kind]}; it is written as in `{row.sample}`") from None


def _written(row: Row, value: Value) -> str:
    if value is True:
        return row.word
    parts = value if isinstance(value, tuple) else (value,)
    return f"{row.word}={':'.join(map(str, parts))}"
