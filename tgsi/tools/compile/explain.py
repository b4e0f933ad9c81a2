"""``tgsi-compile --explain``: codes of findings, and names of the language, of passes, profiles and capabilities."""

from __future__ import annotations

import argparse
import json
import re

from tgsi.tools.compile.errors import UsageError
from tgsi.tools.compile.files import write
from tgsi.tools.compile.lexicon import KINDS, Entry, lookup, names
from tgsi.tools.nearest import nearest

WIDTH = 100
"""Characters of a line of an explanation."""


def explain(options: argparse.Namespace) -> int:
    """Print the explanation of a name, or a list of names. Returns the exit code.

    Raises:
        UsageError: nothing has that name.
    """
    word = options.explain.strip()
    kind = "codes" if word.lower() == "all" else word.lower()
    if kind in KINDS:
        entries = list(KINDS[kind]())
        lines = [f"{entry.name}  {_headline(entry)}".rstrip() for entry in entries]
        return write(options, _json(entries, True) if options.format == "json" else "".join(f"{line}\n" for line in lines))
    matches = lookup(word)
    if not matches:
        raise UsageError(_unknown(word))
    return write(options, _json(matches, False) if options.format == "json" else "\n".join(map(_text, matches)))


def _unknown(word: str) -> str:
    """The message about a word that nothing has as its name."""
    shown = word if len(word) <= 60 else f"{word[:57]}..."
    if re.fullmatch(r"[A-Za-z][0-9]{3}", word):
        return f"there is no code `{shown}`; --explain all lists them"
    hint = nearest(word, list(names())) or f"--explain lists the {', '.join([*KINDS][:-1])} or {[*KINDS][-1]}, by that word"
    return f"nothing is called `{shown}`; {hint}"


def _headline(entry: Entry) -> str:
    return str(entry.facts["title"]) if entry.kind == "code" else entry.text


def _json(entries: list[Entry], is_list: bool) -> str:
    items = [
        {"code": entry.name, "title": entry.facts["title"], "text": entry.text}
        if entry.kind == "code"
        else {"kind": entry.kind, "name": entry.name, "text": entry.text, "facts": entry.facts}
        for entry in entries
    ]
    return json.dumps(items if is_list or len(items) > 1 else items[0], indent=1) + "\n"


def _text(entry: Entry) -> str:
    import textwrap

    if entry.kind == "code":
        return f"{entry.name}: {entry.facts['title']}\n\n{textwrap.fill(entry.text, WIDTH)}\n"
    lines = [f"{entry.name}: {entry.kind}"]
    if entry.text:
        lines += ["", textwrap.fill(entry.text, WIDTH)]
    if entry.kind == "opcode":
        lines += ["", "d is the destination, a b e f g are the sources; .c is each written channel, .* all channels, alike."]
    if entry.facts:
        width = max(map(len, entry.facts))
        lines.append("")
        for name, value in entry.facts.items():
            written = ("yes" if value else "no") if isinstance(value, bool) else str(value)
            lines.append(textwrap.fill(written, WIDTH, initial_indent=f"  {name:{width}}  ", subsequent_indent=" " * (width + 4)))
    return "\n".join(lines) + "\n"
