"""Macros and their expansion: parameters, ``##``, rescanning. A macro is not expanded in its own text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from frontends.glsl.preprocess.reports import Reports, quoted
from frontends.glsl.preprocess.scan import MAX_NAME, NOWHERE, Token, is_token
from tgsi.language.record import record

MAX_TOKENS = 1 << 19
"""Tokens that all macros of a compilation may expand to."""
MAX_CHARACTERS = 1 << 22
"""Characters of these."""
MAX_NESTING = 200
"""Calls of macros in arguments of calls of macros."""

_END = "\0"
"""First character of a mark on the stack that ends a macro's text; the macro's name follows. It never occurs in texts."""


PASTE = "\0##"
"""The operator ``##`` in the text of a macro."""


class _Painted(str):
    """The name of a macro inside its own expansion: it is not expanded again."""

    __slots__ = ()


@record
class Macro:
    """A macro: names of parameters (None for one without parentheses), and its text; `changing` gives the text of a use, by its place."""

    name: str
    params: tuple[str, ...] | None
    body: tuple[Token, ...]
    place: int = NOWHERE
    changing: Callable[[int], str] | None = None

    def has_text_of(self, other: Macro) -> bool:
        """True if both have the same parameters and tokens."""
        return self.params == other.params and [item[0] for item in self.body] == [item[0] for item in other.body]


class Macros(dict[str, Macro]):
    """The macros that are defined. `expand` replaces them in tokens."""

    def __init__(self, reports: Reports) -> None:
        super().__init__()
        self._reports = reports
        self._tokens = MAX_TOKENS
        self._characters = MAX_CHARACTERS

    def expand(self, tokens: Sequence[Token]) -> list[Token]:
        """Tokens in which every macro is replaced.

        Raises:
            ParseError: a call does not end or has a wrong number of arguments, or macros expand to too much text.
        """
        if self.keys().isdisjoint([token[0] for token in tokens]):
            return list(tokens)
        return self._expand(tokens, set(), 0)

    def _expand(self, tokens: Sequence[Token], active: set[str], depth: int) -> list[Token]:
        output: list[Token] = []
        stack = list(tokens)
        stack.reverse()
        while stack:
            token = stack.pop()
            text = token[0]
            macro = self.get(text)
            if macro is None or type(text) is _Painted:
                if text[0] == _END:
                    active.discard(text[1:])
                else:
                    output.append(token)
                continue
            if text in active:
                output.append((_Painted(text), *token[1:]))
                continue
            if macro.params is None:
                body = self._text(macro, token)
            else:
                arguments = self._arguments(macro, token, stack, active, depth)
                if arguments is None:
                    output.append(token)
                    continue
                body = self._filled(macro, token, arguments, active, depth)
            self._spend(body, token)
            active.add(text)
            stack.append((_END + text, 0, 0))
            body.reverse()
            stack += body
        return output

    def _spend(self, body: Sequence[Token], token: Token) -> None:
        """Count the tokens of a macro's expansion."""
        self._count(len(body) + 1, sum([len(item[0]) for item in body]), token)

    def _count(self, tokens: int, characters: int, token: Token) -> None:
        """Refuse macros that grow without end."""
        self._tokens -= tokens
        self._characters -= characters
        if self._tokens < 0 or self._characters < 0:
            most = f"{MAX_TOKENS} tokens" if self._tokens < 0 else f"{MAX_CHARACTERS} characters"
            self._reports.refuse(f"{quoted(token[0])}: the macros of this text expand to more than {most}", token)

    def _text(self, macro: Macro, token: Token) -> list[Token]:
        """The text of a macro without parameters, at its use."""
        if macro.changing is not None:
            return [(macro.changing(token[1]), token[1], token[2])]
        body = [(text, token[1], place) for text, place, _ in macro.body]
        return self._pasted(body) if PASTE in [item[0] for item in body] else body

    def _arguments(self, macro: Macro, token: Token, stack: list[Token], active: set[str], nesting: int) -> list[list[Token]] | None:
        """The arguments of a call, taken from the stack; None if no parenthesis follows, so the name is not a call."""
        top = len(stack) - 1
        while top >= 0 and stack[top][0][0] == _END:
            top -= 1
        if top < 0 or stack[top][0] != "(":
            return None
        arguments: list[list[Token]] = [[]]
        depth, size = 0, len(stack)
        while stack:
            item = stack.pop()
            text = item[0]
            if text == "(":
                depth += 1
                if depth == 1:
                    continue
            elif text == ")":
                depth -= 1
                if depth == 0:
                    if nesting:  # arguments of arguments are read once for each call around them
                        self._count(size - len(stack), 0, token)
                    return self._counted(macro, token, arguments)
            elif text[0] == _END:
                active.discard(text[1:])
                continue
            elif text == "," and depth == 1:
                arguments.append([])
                continue
            arguments[-1].append(item)
        self._reports.refuse(f"the arguments of the macro {quoted(macro.name)} do not end", token, "close the parenthesis")

    def _counted(self, macro: Macro, token: Token, arguments: list[list[Token]]) -> list[list[Token]]:
        wanted = len(macro.params or ())
        if wanted == 0 and arguments == [[]]:
            return []
        if len(arguments) != wanted:
            self._reports.refuse(f"the macro {quoted(macro.name)} takes {wanted} arguments, and {len(arguments)} are given", token)
        return arguments

    def _filled(self, macro: Macro, use: Token, arguments: list[list[Token]], active: set[str], depth: int) -> list[Token]:
        """The text of a macro with arguments in the place of parameters. Operands of ``##`` are not expanded; all others are."""
        if depth >= MAX_NESTING:
            self._reports.refuse(f"calls of macros nest more than {MAX_NESTING} deep in {quoted(macro.name)}", use)
        places = {name: number for number, name in enumerate(macro.params or ())}
        expanded: dict[int, list[Token]] = {}
        made: list[Token] = []
        is_pasting = PASTE in [item[0] for item in macro.body]
        texts = ["", *(item[0] for item in macro.body), ""] if is_pasting else []
        for index, (text, place, _) in enumerate(macro.body):
            number = places.get(text)
            if number is None:
                made.append((text, use[1], place))
            elif is_pasting and PASTE in (texts[index], texts[index + 2]):
                made += arguments[number] or [("", use[1], NOWHERE)]
            else:
                if number not in expanded:
                    inner = arguments[number]
                    is_plain = self.keys().isdisjoint([item[0] for item in inner])
                    expanded[number] = inner if is_plain else self._expand(inner, set(active), depth + 1)
                made += expanded[number]
            if len(made) > self._tokens:
                self._spend(made, use)
        return self._pasted(made) if is_pasting else made

    def _pasted(self, tokens: list[Token]) -> list[Token]:
        """Tokens after each ``##`` joined its neighbors. An empty token represents an empty argument."""
        made: list[Token] = []
        is_open = False
        for token in tokens:
            if token[0] == PASTE:
                is_open = True
                continue
            if is_open and made:
                left = made.pop()
                text = left[0] + token[0]
                if left[0] and token[0] and (len(text) > MAX_NAME or not is_token(text)):
                    self._reports.refuse(f"{quoted(left[0])} and {quoted(token[0])} make no token together", token)
                token = (text, left[1], left[2] if left[2] != NOWHERE else token[2])
            made.append(token)
            is_open = False
        return [token for token in made if token[0]]
