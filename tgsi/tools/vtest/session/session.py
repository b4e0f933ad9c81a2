"""One client: its connection's messages, its resources and its sub-contexts."""

from __future__ import annotations

import os
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any

from backends.device.commands.reader import Buffers, Rows, address_of_words
from tgsi.language.diagnostics import DiagnosticError, Severity, TgsiError, UnsupportedError
from tgsi.language.record import record
from tgsi.tools.vtest.commands import copies, draws, queries, shader_memory, shaders, states, streams, subcontexts, textures, uploads  # noqa: F401  (imported to fill the table of commands)
from tgsi.tools.vtest.commands.subcontext import SubContext
from tgsi.tools.vtest.commands.table import COMMANDS, CREATE_OBJECT, OBJECTS, Row, native_rows
from tgsi.tools.vtest.output.log import COMMANDS as COMMANDS_LEVEL
from tgsi.tools.vtest.output.log import LOG
from tgsi.tools.vtest.output.parts import part
from tgsi.tools.vtest.processes.marks import Mark, make_marks, note_refusal
from tgsi.tools.vtest.protocol.account import OBJECT, SMALL, Account
from tgsi.tools.vtest.protocol.caps import capability_set
from tgsi.tools.vtest.protocol.errors import CommandError
from tgsi.tools.vtest.protocol.holdings import Holding
from tgsi.tools.vtest.protocol.numbers import BIND_CUSTOM, COMMAND_NAMES, OBJECT_NAMES
from tgsi.tools.vtest.session.cuts import Cuts

if TYPE_CHECKING:
    from pathlib import Path

    from tgsi.gallium import Screen
    from tgsi.tools.vtest.output.pictures import Pictures
    from tgsi.tools.vtest.output.shader_texts import ShaderTexts
    from tgsi.tools.vtest.protocol.wire import Wire

MAX_COMPLAINTS = 200
"""Largest number of lines printed about one client's wrong commands."""

MAX_LINE = 4000
"""Largest number of characters printed about one mistake. A message about a text may show all of it."""

MANY_FREED = 1 << 10
"""Number of objects after whose end contexts look for what only they know."""

_BEGUN = Mark.BEGUN.value
MAX_SUB_CONTEXTS = 256
EXPECTED = (CommandError, TgsiError, ValueError, TypeError, OverflowError, MemoryError, BlockingIOError)


@record(frozen=False)
class Statistics:
    """Statistics of a client: count of each message and command, and seconds spent in each command."""

    messages: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    errors: int = 0


class Session:
    """Client with its resources and sub-contexts. `messages.answer` answers its messages; `close` frees everything.

    say: function that prints a line of text. log_commands: print every command. protocol: newest version of the protocol to accept.
    """

    def __init__(
        self,
        screen: Screen,
        wire: Wire,
        say: Callable[[str], None],
        *,
        protocol: int = 2,
        log_commands: bool = False,
        statistics: Statistics | None = None,
        pictures: Pictures | None = None,
        texts: ShaderTexts | None = None,
        trace: Path | None = None,
        marks: memoryview | None = None,
    ) -> None:
        self.screen = screen
        self.wire = wire
        self.say = say
        self.newest = protocol
        self.protocol = 0
        self.name = "client"
        self.log_commands = log_commands
        self.statistics = statistics
        self.pictures, self.texts = pictures, texts
        self._trace, self._traces = trace, 0
        self.resources: dict[int, Holding] = {}
        self.buffers, self.memories = Buffers(), Buffers()
        self.rows: Rows = native_rows()
        self.due: dict[Any, SubContext] = {}  # queries whose results are to be written before the client looks; see `queries`
        self.account = Account(screen.memory)
        self._lent = 0  # bytes of the message at work that are counted
        self.marks = make_marks()[0] if marks is None else marks
        self.waits = None if statistics is not None or log_commands else wire.attend(self.marks)
        self.cuts = Cuts(self.buffers, self.waits)
        self.contexts: dict[int, SubContext] = {}
        self.number = 0
        self._current: SubContext | None = None
        self._complaints = 0
        self._known_work: tuple[int, int] | None = None
        self.caps = capability_set(screen)

    # -- sub-contexts ----------------------------------------------------------------------------------------------------
    @property
    def current(self) -> SubContext:
        """Sub-context that commands go to. Number 0 is created on first use."""
        context = self._current
        if context is None:
            context = self.contexts.get(self.number)
            if context is None:
                context = self.contexts[self.number] = SubContext(self)
            self._current = context
        return context

    def create_context(self, number: int) -> None:
        """CREATE_SUB_CTX."""
        if number in self.contexts:
            raise CommandError("sub_ctx_id", f"{number} exists already")
        if len(self.contexts) >= MAX_SUB_CONTEXTS:
            raise CommandError("sub_ctx_id", f"there are {MAX_SUB_CONTEXTS} already")
        self.contexts[number] = SubContext(self)

    def use_context(self, number: int) -> None:
        """SET_SUB_CTX. Work of the previous sub-context is finished first, because both may share resources."""
        if number == self.number:
            return
        if number and number not in self.contexts:
            raise CommandError("sub_ctx_id", f"there is no sub-context {number}")
        self.synchronize()
        self.number, self._current = number, None

    def destroy_context(self, number: int) -> None:
        """DESTROY_SUB_CTX."""
        context = self.contexts.pop(number, None)
        if context is None:
            raise CommandError("sub_ctx_id", f"there is no sub-context {number}")
        if number == self.number:
            self.number, self._current = 0, None
        self.cuts.let_go(context)
        context.close()

    def note_compilation(self, begins: bool) -> None:
        """Mark the begin or the end of a compilation, for the parent process."""
        self.marks[Mark.COMPILING if begins else Mark.ENDED] += 1

    def note_work(self, drawn: int, loaded: int, compile_ns: int) -> None:
        """Note the draws of a sub-context that ends, and how many kernels the process has loaded, and compiled for how long, by now."""
        if self._known_work is None:
            self._known_work = loaded, compile_ns  # by the parent process, which this one is a copy of
        marks = self.marks
        marks[Mark.DRAWS] += drawn
        marks[Mark.LOADED], marks[Mark.COMPILE_NS] = loaded - self._known_work[0], compile_ns - self._known_work[1]

    def new_trace(self) -> Path | None:
        """Name of the file for the calls of a new sub-context, None for none."""
        if self._trace is None:
            return None
        self._traces += 1
        return part(self._trace, f"{os.getpid()}-{self._traces:03}")

    @property
    def has_worked(self) -> bool:
        """True if the client has sent commands."""
        return self._known_work is not None

    def synchronize(self) -> None:
        """Finish all pending work of the current sub-context, and write the results of queries."""
        self.tell_due()
        context = self._current
        if context is not None and context.context is not None:
            context.context.order.synchronize()

    def tell_due(self) -> None:
        """Write the results of queries that the client has asked for."""
        queries.tell_due(self.due)

    def next_head(self) -> bytearray | memoryview:
        """The first words of the next message, empty at the end. Pending work is drawn while the client is silent."""
        context = self._current
        if context is not None and context.context is not None:
            if context.answer_waits is not None and not self.due:
                context.answer_waits()
            if context.context.device.pending and self.wire.is_quiet:
                context.context.order.use_pause()
        return self.wire.read(8)

    def resource(self, handle: int, name: str) -> Any:
        """Resource of a handle. Raises CommandError if there is none."""
        return self.holding(handle, name).resource

    def holding(self, handle: int, name: str) -> Holding:
        """Resource of a handle together with the client's memory of it. Raises CommandError if there is none."""
        holding = self.resources.get(handle)
        if holding is None:
            raise CommandError(name, f"there is no resource {handle}")
        return holding

    def let_go(self, handle: int, holding: Holding) -> None:
        """Take back what sub-contexts remember about a resource that is about to be destroyed."""
        resource = holding.resource
        if resource.is_buffer:
            self.buffers.remove(handle)
        for sub in self.contexts.values():
            sub.let_go(resource)
            if holding.bind != BIND_CUSTOM:  # draws do not read BIND_CUSTOM buffers, and clients free one per frame
                sub.forget_sets()

    # -- messages --------------------------------------------------------------------------------------------------------
    def more(self, size: int) -> memoryview:
        """Read exactly `size` further bytes of the connection. Raises ProtocolError if it ends.

        Many bytes are counted until the end of the message at work. Raises CommandError, with nothing read, if they are too many.
        """
        if not size:
            return memoryview(b"")
        if size > SMALL:
            self.lend(size)
        data = self.wire.read(size)
        if not data:
            raise self.wire.end(f"the connection ended where {size} bytes should follow")
        return memoryview(data)

    def lend(self, size: int) -> None:
        """Count bytes until the end of the message at work. Raises CommandError if they are too many."""
        self.account.take(size, "length")
        self._lent += size

    def end_message(self) -> None:
        """Count the bytes of the message at work no longer. Now and then, let contexts forget what they know of objects that are gone."""
        if self.account.freed > MANY_FREED:
            self.account.freed = 0
            for sub in self.contexts.values():
                if sub.context is not None:
                    sub.context.order.synchronize()
        if self._lent:
            self.account.give(self._lent)
            self._lent = 0

    def skip(self, size: int) -> None:
        """Read bytes that nobody wants, without keeping them."""
        while size:
            part = min(size, SMALL)
            self.more(part)
            size -= part

    def write_zeros(self, size: int) -> None:
        """Answer with `size` zero bytes, for a request that failed."""
        while size:
            part = min(size, SMALL)
            self.wire.write(bytes(part))
            size -= part

    def free(self, holding: Holding) -> None:
        """Free a resource with its shared memory."""
        shared = len(holding.memory) if holding.memory is not None else 0
        holding.close()
        self.account.give(OBJECT + shared)

    def submit(self, body: memoryview) -> None:
        """Carry out the commands of a SUBMIT_CMD message. A wrong command is reported and skipped."""
        words = body.cast("I")
        self._carry_out_all(words)
        if self._current is not None:
            self.cuts.note(self._current, len(words))

    def _carry_out_all(self, words: memoryview) -> None:
        """Carry out the commands of a message."""
        at, end, marks = 0, len(words), self.marks
        is_watched = self.log_commands or self.statistics is not None
        address = address_of_words(words) if end and not is_watched else 0
        while at < end:
            sub = self._current
            if address and sub is not None:
                at = sub.reader.read(address, at, end)
                if at == end:
                    return
            marks[_BEGUN] += 1
            at = self._carry_out(words, at, end, is_watched)

    def _carry_out(self, words: memoryview, begin: int, end: int, is_watched: bool) -> int:
        """Carry out the command at word `begin`. Returns the place of the next one."""
        head = words[begin]
        after = begin + 1 + (head >> 16)
        number, kind = head & 255, head >> 8 & 255
        row = OBJECTS.get(kind) if number == CREATE_OBJECT else COMMANDS.get(number)
        try:
            if row is None:
                where, text = (
                    ("object", f"kind {kind} cannot be created") if number == CREATE_OBJECT else ("command", "it does not exist here")
                )
                raise CommandError(where, text)
            if after > end:
                raise CommandError("length", f"{head >> 16} words, but only {end - begin - 1} are left")
            row.check(after - begin - 1)
            body = words[begin + 1 : after]
            if is_watched:
                self._watch(row, body, kind)
            else:
                sub = self._current or self.current
                sub.kind = kind
                row.run(sub, body)
                if row.effect is not None and sub is self._current:
                    effect = row.effect(sub, body)
                    if effect is not None:
                        sub.reader.learn(head, body, effect.places, effect.tags, unless=effect.unless)
        except EXPECTED as error:
            self._tell(begin, head, error)
        except Exception as error:  # an error of the server must not end the client's other work
            self._tell(begin, head, error)
            self.complain("".join(traceback.format_exception(error)[-3:]).strip())
        return after

    def _watch(self, row: Row, words: memoryview, kind: int) -> None:
        if self.log_commands:
            of = f" {OBJECT_NAMES[kind]}" if 0 < kind < len(OBJECT_NAMES) and OBJECT_NAMES[kind] not in row.name else ""
            LOG.log(COMMANDS_LEVEL, f"{self.name}: {row.name}{of} {row.shown(words)}")
        sub = self.current
        sub.kind = kind
        begin = time.perf_counter()
        try:
            row.run(sub, words)
        finally:
            if self.statistics is not None:
                self.statistics.commands[row.name] += 1
                self.statistics.seconds[row.name] += time.perf_counter() - begin

    def _tell(self, at: int, head: int, error: BaseException) -> None:
        number, kind = head & 255, head >> 8 & 255
        name = COMMAND_NAMES[number] if number < len(COMMAND_NAMES) else f"command {number}"
        if kind and kind < len(OBJECT_NAMES):
            name += f" {OBJECT_NAMES[kind]}"
        text = str(error) if isinstance(error, EXPECTED) else f"{type(error).__name__}: {error}"
        self.complain(f"{name} at word {at}: {text}")
        if isinstance(error, UnsupportedError) and number != CREATE_OBJECT:
            self.refuse(shaders.stage_in(error), error)

    def refuse(self, shader: str, error: DiagnosticError, file: str = "") -> None:
        """Say of the first shader that cannot be drawn with which limit it meets and what to do, in the log and in the summary.

        file: where its text was written, if it was.
        """
        finding = next((item for item in error.diagnostics if item.severity is Severity.ERROR), error.diagnostics[0])
        way = finding.hint or "make the shader smaller or simpler"
        text = f"{file or '--dump-shaders DIR'} {'has' if file else 'keeps'} its text"
        line = f"{shader} is refused, and its draws are left out: {finding.code}: {finding.message}; {way}; {text}"
        if note_refusal(self.marks, line):
            self.say(f"{self.name}: {line}")

    def complain(self, text: str) -> None:
        """Print a line about a client's mistake, up to MAX_COMPLAINTS lines."""
        self._complaints += 1
        self.marks[Mark.ERRORS] += 1
        if self.statistics is not None:
            self.statistics.errors += 1
        if self._complaints <= MAX_COMPLAINTS:
            self.say(f"{self.name}: {text if len(text) <= MAX_LINE else f'{text[:MAX_LINE]} ... ({len(text)} characters)'}")
            if self._complaints == MAX_COMPLAINTS:
                self.say(f"{self.name}: no more lines about this client")

    @property
    def complaints(self) -> int:
        """Number of wrong commands and messages."""
        return self._complaints

    def close(self) -> None:
        """Free all sub-contexts and resources. Closing twice is allowed."""
        self._current = None
        if self.pictures is not None:
            for sub in self.contexts.values():
                self.pictures.ending(self.name, sub.context, self.resources.values())
            self.pictures.close(self.name)
            self.pictures = None
        for sub in self.contexts.values():
            self.cuts.let_go(sub)
            sub.close()
        self.contexts.clear()
        for holding in self.resources.values():
            self.free(holding)
        self.resources.clear()
        self.end_message()
