"""A page of HTML as a browser's parser sees it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any


class Parsed(HTMLParser):
    """The elements of a page.

    tags: names of all elements. scripts: type and text of each. handlers: attributes that are script. data: the content.
    skeleton: everything but the title and the data, as a parser meets it.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.scripts: list[tuple[str, str]] = []
        self.handlers: list[str] = []
        self.skeleton: list[object] = []
        self.policy = self.style = ""
        self._inside = ""
        self.feed(text)
        self.close()
        self.data: dict[str, Any] = json.loads(self.scripts[0][1])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.skeleton.append((tag, attrs))
        given = dict(attrs)
        self.handlers += [name for name, value in attrs if name.startswith("on") or (value or "").strip().lower().startswith("javascript:")]
        if tag == "script":
            self.scripts.append((given.get("type") or "", ""))
            self.handlers += ["src"] * ("src" in given)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given.get("content") or ""
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.skeleton.append(tag)
        self._inside = ""

    def handle_comment(self, data: str) -> None:
        self.skeleton.append(("comment", data))

    def handle_decl(self, decl: str) -> None:
        self.skeleton.append(("declaration", decl))

    def handle_pi(self, data: str) -> None:
        self.skeleton.append(("instruction", data))

    def unknown_decl(self, data: str) -> None:
        self.skeleton.append(("unknown", data))

    def handle_data(self, data: str) -> None:
        is_given = self._inside == "title" or (self._inside == "script" and self.scripts[-1][0] == "application/json")
        if not is_given:
            self.skeleton.append(data)
        if self._inside == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = kind, text + data
        elif self._inside == "style":
            self.style += data
