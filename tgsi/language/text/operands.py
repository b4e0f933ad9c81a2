"""Operand texts to IR, with a memo of texts read before, since the same operands come again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, Self, TypeVar

from tgsi.language.facts.enums import CHANNELS, File
from tgsi.language.facts.limits import MAX_ARRAY
from tgsi.language.ir import IDENTITY, XYZW, Dimension, DstOperand, IndirectRef, RegisterRef, SrcOperand, TexOffset
from tgsi.language.messages import Mistake, known, shorten
from tgsi.language.text.attributes import Attribute

T = TypeVar("T")
Matcher = Callable[[str], Any]
"""Reader of the whole text of a rule: returns an object whose groups() are the children, or None."""

FILES: Mapping[str, File] = {file.name: file for file in File}
_CHANNELS: Mapping[str, int] = {letter: number % 4 for number, letter in enumerate("xyzwXYZW")}


class _Swizzles(dict[str | None, tuple[int, int, int, int]]):
    """Swizzle letters in any case to channel numbers, cached on first use; with `short`, one letter is repeated four times."""

    __slots__ = ("short",)

    def __init__(self, *, short: bool) -> None:
        self[None] = IDENTITY
        self.short = short

    def __missing__(self, letters: str) -> tuple[int, int, int, int]:
        if len(letters) != 4 and not (self.short and len(letters) == 1):
            raise KeyError(letters)
        a, b, c, d = (_CHANNELS[letter] for letter in (letters if len(letters) == 4 else letters * 4))
        swizzle = self[letters] = a, b, c, d
        return swizzle


class _Masks(dict[str | None, int]):
    """Mask letters to bits, made when they are first met: each channel at most once, in the order xyzw."""

    __slots__ = ()

    def __missing__(self, letters: str) -> int:
        order = [_CHANNELS[letter] for letter in letters]
        if order != sorted(set(order)):
            raise KeyError(letters)
        mask = self[letters] = sum(1 << channel for channel in order)
        return mask


MASKS = _Masks({None: XYZW})
SWIZZLES, SHORT_SWIZZLES = _Swizzles(short=False), _Swizzles(short=True)
"""Swizzles of Mesa, and those of the default dialect, which adds a one-letter form."""


FILE_HINT = f"it is one of {', '.join(FILES)}"
NUMBER_HINT = "numbers stand in immediates: declare `IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}`, then write `IMM[0].xxxx`"


MEMO_SIZE = 1 << 15
"""Texts that a memo may hold from one parse to the next."""


class Memo(dict[str, T], Generic[T]):
    """Text to value: a text is matched and built when it is first met."""

    __slots__ = ("refuse", "ways")

    def __init__(self, refuse: str, *ways: tuple[Matcher, Callable[..., T]]) -> None:
        self.ways = ways
        self.refuse = refuse

    def __missing__(self, text: str) -> T:
        for match, build in self.ways:
            if operand := match(text):
                value = self[text] = build(*operand.groups())
                return value
        word = text.strip()
        raise Mistake("P015", f"`{shorten(word)}` is not an operand", text, NUMBER_HINT if word.isdigit() else self.refuse)


class OperandReader:
    """Builder of operands; its methods take the children of the grammar rule that they are named after.

    `match` reads the texts of rules; `strict` keeps to the language that Mesa 18.1 accepts. The memos depend on neither the program nor
    the stage, so one reader may serve many parses, and threads: entries are immutable, and at worst made twice.
    """

    def __init__(self, strict: bool, match: Mapping[str, Matcher]) -> None:
        self.strict = strict
        self._swizzles = SWIZZLES if strict else SHORT_SWIZZLES
        self.relatives = Memo("an index is a number or `ADDR[n].x`", (match["relative"], self.relative))
        self.destinations = Memo(
            "a destination is written `OUT[0].xyz`", (match["plain"], self.destination), (match["absolute"], self.no_bars)
        )
        self.sources = Memo("a source is written `-|IN[0].xyzw|`", (match["plain"], self.source), (match["absolute"], self.absolute))
        self.offsets = Memo("a texture offset is written `IMM[0].xyz`", (match["plain"], self.offset))
        self.ranges = Memo("a range is written `[0..3]`", (match["range"], self.range))
        ways = (match["named"], Attribute.named), (match["array"], Attribute.array), (match["stream"], Attribute.stream)
        self.attributes = Memo("attributes are words, `ARRAY(n)` or `STREAM(a, b, c, d)`", *ways)

    def again(self, match: Mapping[str, Matcher]) -> Self:
        """A reader of the same kind with other matchers and empty memos."""
        return type(self)(self.strict, match)

    def trim(self) -> None:
        """Clear memos that have grown too large; called between parses."""
        for memo in (self.relatives, self.destinations, self.sources, self.offsets, self.ranges, self.attributes):
            if len(memo) > MEMO_SIZE:
                memo.clear()

    def range(self, first: str, last: str | None) -> tuple[int, int]:
        """``0..3``: first and last register."""
        low, high = int(first), int(last if last is not None else first)
        return (low & 0xFFFF, high & 0xFFFF) if self.strict else (low, high)

    def relative(self, file: str, index: str, component: str | None, offset: str | None) -> tuple[IndirectRef, int]:
        """An index such as ``ADDR[0].x+3``: the register and the number added to it."""
        if component is not None and component not in _CHANNELS:
            raise Mistake("P018", "an index has one component", component, f"write `.{component[0].lower().replace('_', 'x')}`")
        if offset is not None and not (offset[1:2].isdigit()):
            if self.strict:
                raise Mistake("P029", "no space may stand between a sign and its number", offset, f"write `{''.join(offset.split())}`")
            offset = "".join(offset.split())
        ref = IndirectRef(known(FILES, file, "register file", "P006", FILE_HINT), self._number(index), _CHANNELS[component or "x"])
        number = int(offset or "0")
        return ref, (number + 0x8000 & 0xFFFF) - 0x8000 if self.strict else number

    def register(self, file: str, index: str, array: str | None, inner: str | None, inner_array: str | None) -> RegisterRef:
        """A register; with two brackets the first is the dimension."""
        info = FILES.get(file) or known(FILES, file, "register file", "P006", FILE_HINT)
        if inner is None and array is None and index.isdigit():
            return RegisterRef(info, self._number(index))
        dimension = None
        if inner is not None:
            number, indirect = self._index(index)
            dimension = Dimension(number, indirect, self._array(array, indirect))
            index, array = inner, inner_array
        number, indirect = self._index(index)
        return RegisterRef(info, number, dimension, indirect, self._array(array, indirect))

    def _index(self, text: str) -> tuple[int, IndirectRef | None]:
        if text.isdigit():
            return self._number(text), None
        indirect, offset = self.relatives[text]
        return offset, indirect

    def _number(self, text: str) -> int:
        """A register number. Mesa keeps the lower 16 bits; by default the validator refuses larger ones."""
        return int(text) & 0xFFFF if self.strict else int(text)

    def _array(self, text: str | None, indirect: IndirectRef | None) -> int:
        """An array's number. Mesa keeps ten bits of the array number of an indirect index, and drops it elsewhere. By default, the
        validator checks it."""
        number = int(text.strip("( \t\n)")) if text else 0
        if not self.strict:
            return number
        return number & MAX_ARRAY if indirect is not None else 0

    def source(
        self,
        minus: str | None,
        file: str,
        index: str,
        array: str | None,
        inner: str | None,
        inner_array: str | None,
        letters: str | None,
        absolute: bool = False,
    ) -> SrcOperand:
        """A source: ``-IN[0].xyzw``."""
        try:
            swizzle = self._swizzles[letters]
        except KeyError:
            raise _wrong_swizzle(letters or "") from None
        return SrcOperand(self.register(file, index, array, inner, inner_array), swizzle, minus is not None, absolute)

    def absolute(self, *children: Any) -> SrcOperand:
        """A source between bars: ``-|IN[0].xyzw|``."""
        minus, file, index, array, inner, inner_array, letters = children
        return self.source(minus, file, index, array, inner, inner_array, letters, True)

    def destination(
        self, minus: str | None, file: str, index: str, array: str | None, inner: str | None, inner_array: str | None, letters: str | None
    ) -> DstOperand:
        """A destination: ``OUT[0].xyz``."""
        if minus is not None:
            raise Mistake("P014", "a destination has no sign", minus, "signs belong to sources")
        return DstOperand(self.register(file, index, array, inner, inner_array), mask_of(letters, strict=self.strict))

    def no_bars(self, *children: Any) -> DstOperand:
        """Refuse ``|OUT[0]|``."""
        raise Mistake("P014", "a destination has no absolute value", children[1], "bars belong to sources")

    def offset(
        self, minus: str | None, file: str, index: str, array: str | None, inner: str | None, inner_array: str | None, letters: str | None
    ) -> TexOffset:
        """A texture offset: ``IMM[0].xyz``. An indirect index is read and dropped, as Mesa does."""
        if minus is not None or inner is not None or (letters is not None and len(letters) != 3):
            wrong = minus or (letters if letters is not None and len(letters) != 3 else None) or inner or ""
            raise Mistake("P016", "a texture offset has one index, three letters and no sign", wrong, "write `IMM[0].xyz`")
        x, y, z = (_CHANNELS[letter] for letter in letters or "xxx")  # Mesa's reader leaves the swizzle 0
        register = self.register(file, index, None, None, None)
        return TexOffset(RegisterRef(register.file, register.index), (x, y, z))


def mask_of(letters: str | None, *, strict: bool = False) -> int:
    """Bits of the mask letters after a dot; all channels without letters. An underscore is not a channel, where `strict` allows it."""
    if letters == "_" and not strict:
        return 0
    try:
        return MASKS[letters]
    except KeyError:
        word = (letters or "").lower()
        if letters == "_":
            raise Mistake("P029", "Mesa's text has no mask without channels", letters, "the default dialect takes `._`") from None
        order = "".join(channel for channel in CHANNELS if channel in word)
        raise Mistake("P013", "a mask names each channel at most once, in the order xyzw", letters or "", f"write `.{order}`") from None


def _wrong_swizzle(letters: str) -> Mistake:
    if letters == "_":
        return Mistake("P012", "a source swizzle has four letters, `._` has none", letters, "an empty mask stands behind destinations only")
    full = (letters + letters[-1:] * 4)[:4].lower()
    return Mistake("P012", f"a source swizzle has four letters, `.{shorten(letters)}` has {len(letters)}", letters, f"write `.{full}`")
