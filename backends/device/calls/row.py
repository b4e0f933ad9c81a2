"""The row of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, field
from enum import Enum, auto
from functools import cached_property
from typing import Any

from backends.device.calls.arguments import REQUIRED, Argument
from backends.device.calls.forms import Form, HandleOf, ObjectOf, read_all
from backends.device.commands.bound_record import BoundRecord, Hindrance, view_word
from backends.device.commands.client import Kind as Taker
from backends.device.commands.known_objects import Kind
from backends.device.commands.layout import MOST_COUNT, Command, header
from backends.pipe.enums import ShaderType, lookup
from tgsi.language.record import record

Given = Mapping[str, Any]
"""Arguments by name."""


class Does(Enum):
    """Kinds of methods."""

    CREATE = auto()  # the result is an object, which gets a handle
    DESTROY = auto()  # the first argument is an object that ends
    SET = auto()  # changes state, draws, or writes memory; the result is None or unused
    NUMBER = auto()  # like SET; the result is the same in every run
    READ = auto()  # fills memory of the caller, the argument `into`
    MAP = auto()  # the result is a mapping
    FLUSH = auto()  # the result is a fence
    ASK = auto()  # has no effect on later calls: not recorded
    OWN = auto()  # no method of a context: carried out by the player of a stored recording itself
    ADDRESS = auto()  # takes addresses of memory: cannot be recorded


class Waits(Enum):
    """Work for which a call waits."""

    NOTHING = "nothing"
    USES = "pending uses of the resource"
    WRITES = "pending writes of the resource"
    QUERY = "the draws that the query counts"
    ALL = "everything pending"


@record
class OneWord:
    """Sets one word of the bound state, regardless of the previous value.

    known: kind of the objects that native entries recognize by their addresses. takes_none: None stands for 0. chooses_stages: the call
    also changes the set of stages or stream output. unless: Hindrance bits that give the call further effects. only_if: predicate of the
    arguments, true if the call has no other effect.
    """

    word: int
    known: Kind | None = None
    _: KW_ONLY
    takes_none: bool = False
    chooses_stages: bool = False
    unless: int = 0
    hinders: int = 0
    only_if: Callable[[Given], bool] | None = None

    def places(self, given: Given) -> Iterable[int] | None:
        """The words that a call sets; None if it may set fewer or more."""
        return (self.word,) if self.only_if is None or self.only_if(given) else None


@record
class Listed:
    """Effect on a word that holds a list, whose length is `count` in the record.

    The call replaces the word only if it sets the whole list.
    """

    word: int
    known: Kind
    count: str
    unless = hinders = 0

    def places(self, given: Given) -> Iterable[int] | None:
        """See `OneWord.places`."""
        return (self.word,) if not given["start"] else None


@record
class Units:
    """Effect on the units of a stage. first: place of unit 0 among the words of the stage. items: the argument."""

    known: Kind
    first: int
    items: str
    unless = hinders = 0

    def places(self, given: Given) -> Iterable[int] | None:
        """See `OneWord.places`."""
        place = view_word(lookup(ShaderType, given["stage"], "stage"), self.first) + given["start"]
        return range(place, place + len(given[self.items]))


TARGETS = OneWord(BoundRecord.targets.offset // 8, unless=Hindrance.USER_MEMORY | Hindrance.OWN_SAMPLES, hinders=int(Hindrance.TARGETS))
"""Effect on the targets."""


@record
class Detail:
    """An argument in the eight bits of a header. kind: an enumeration, or bool."""

    argument: str
    kind: Any
    shift: int = 0
    mask: int = 0xFF

    def write(self, value: Any) -> int:
        """The bits of a value."""
        number = int(bool(value)) if self.kind is bool else int(lookup(self.kind, value, self.argument) if self.kind else value)
        if not 0 <= number <= self.mask:
            raise ValueError(value)
        return number << self.shift

    def read(self, detail: int) -> Any:
        """The value of the bits."""
        number = detail >> self.shift & self.mask
        return bool(number) if self.kind is bool else number


@record
class Fixed:
    """A fixed command of a recording: words without tags.

    forms: of the words after the header. details: arguments in the header. number: detail that identifies this method, if several share the
    command. taker: generated code that carries it out; REPEATED: commands equal to one that Python has carried out before. plain: converts
    arguments of a call to those of the forms, or returns None if they cannot express the call. rest: bits of the detail that other code
    reads.
    """

    command: Command
    forms: tuple[Form, ...] = ()
    _: KW_ONLY
    details: tuple[Detail, ...] = ()
    number: int | None = None
    taker: Taker = Taker.REPEATED
    plain: Callable[[dict[str, Any]], dict[str, Any] | None] | None = None
    rest: int = 0

    @property
    def mask(self) -> int:
        """Bits that may be set in the detail, without those of method numbers."""
        return sum(item.mask << item.shift for item in self.details) | self.rest

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """Names of the words, and of the repeated ones."""
        return [name for form in self.forms for name in form.names], [name for form in self.forms for name in form.group]

    def write(self, values: dict[str, Any], handle_of: HandleOf) -> bytes | None:
        """The command of a call. None, TypeError or ValueError if this command cannot express it."""
        arguments = values if self.plain is None else self.plain(values)
        if arguments is None:
            return None
        parts: dict[str, bytes] = {}
        for form in sorted(self.forms, key=lambda form: not form.group):  # resources in lists get their handles first
            parts[form.argument] = form.write(arguments.get(form.argument), handle_of)
        body = b"".join(parts[form.argument] for form in self.forms)
        if len(body) // 4 > MOST_COUNT:
            return None
        detail = sum(item.write(arguments[item.argument]) for item in self.details) | (self.number or 0)
        return header(self.command, len(body) // 4, detail).to_bytes(4, "little") + body

    def read(self, detail: int, words: memoryview, object_of: ObjectOf) -> dict[str, Any]:
        """Arguments by name."""
        values = read_all(self.forms, words, object_of)
        for item in self.details:
            values[item.argument] = item.read(detail)
        values.pop("", None)
        return values


@record(slots=False, eq=False)
class Row:
    """A call: a method of a context.

    positional, keywords: its arguments. source: the document, with its section, that describes it. fixed: its commands in recordings, of
    which the first match is written. effect: on the words of the bound state. is_native: a native entry takes plain arguments; those of
    calls with an effect on known objects are generated from the row. has_result: it writes a result that differs from run to run to a
    resource. why: reason why checks, parsers or words of the call cannot be generated from the row. text: docstring of a generated method.
    """

    name: str
    does: Does
    source: str
    positional: Mapping[str, Argument]
    keywords: Mapping[str, Argument] = field(default_factory=dict)
    _: KW_ONLY
    fixed: tuple[Fixed, ...] = ()
    effect: OneWord | Listed | Units | None = None
    is_native: bool = False
    has_result: bool = False
    waits: Waits = Waits.NOTHING
    why: str = ""
    text: str = ""

    @property
    def is_recorded_alone(self) -> bool:
        """True if the call's arguments are all that a recording stores, because it has no result except for a new object."""
        return self.does in (Does.SET, Does.CREATE) and not self.has_result

    @cached_property
    def arguments(self) -> dict[str, Argument]:
        """All arguments, in order."""
        return {**self.positional, **self.keywords}

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Defaults of arguments that have one."""
        return {name: item.default for name, item in self.arguments.items() if item.default is not REQUIRED}

    @cached_property
    def takes_fields(self) -> bool:
        """True if fields of a template are taken by keyword."""
        return any(item.is_template for item in self.arguments.values())

    def bound(self, args: tuple[Any, ...], given: Given) -> dict[str, Any]:
        """Arguments by name, with defaults. TypeError for unknown or missing arguments."""
        named = dict(zip(self.positional, args))
        if len(args) > len(self.positional):
            raise TypeError(f"{self.name}: too many positional arguments")
        arguments = {**self.defaults, **named, **given}
        for name in self.arguments:
            if name not in arguments:
                raise TypeError(f"{self.name}: missing a required argument: {name!r}")
        for name in given:
            if name in named:
                raise TypeError(f"{self.name}: multiple values for argument {name!r}")
            if name not in self.arguments and not self.takes_fields:
                raise TypeError(f"{self.name}: got an unexpected keyword argument {name!r}")
        return arguments

    def write(self, args: tuple[Any, ...], given: Given, handle_of: HandleOf) -> bytes | None:
        """The first fixed command that fits the arguments, or None."""
        for fixed in self.fixed:
            try:
                made = fixed.write(self.bound(args, given), handle_of)
            except (TypeError, ValueError, ArithmeticError, AttributeError):
                continue
            if made is not None:
                return made
        return None

    def named(self, args: tuple[Any, ...], given: Given) -> dict[str, Any]:
        """Named arguments by name, without defaults."""
        names = list(self.positional)
        return {names[k] if k < len(names) else str(k): item for k, item in enumerate(args)} | dict(given)

    def call(self, values: Given) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Split values by name into positional arguments and keywords."""
        keywords = dict(values)
        return tuple(map(keywords.pop, filter(values.__contains__, self.positional))), keywords
