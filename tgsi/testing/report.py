"""The report of a run as one page of HTML that needs no network: pictures that differ, to toggle, slide, fade and subtract."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

_STYLE = """
:root{color-scheme:light dark}
body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em}
h1{font-size:1.5em}h2{font-size:1.15em;margin:2em 0 .3em}
pre{background:#8882;padding:.7em;overflow:auto;white-space:pre-wrap}
table{border-collapse:collapse}td,th{padding:.15em .8em .15em 0;text-align:left;vertical-align:top}
.view{position:relative;display:inline-block;background:repeating-conic-gradient(#888 0 25%,#aaa 0 50%) 0 0/16px 16px;line-height:0}
.view img{image-rendering:pixelated;min-width:256px;max-width:100%}
.view .top{position:absolute;left:0;top:0;width:100%;height:100%}
.view img.gone{visibility:hidden}
.bar{margin:.4em 0;display:flex;gap:.6em;align-items:center;flex-wrap:wrap}
button[aria-pressed=true]{font-weight:bold}
input[type=range]{width:16em}
"""

_SCRIPT = """
"use strict";
for (const view of document.querySelectorAll(".compare")) {
  const top = view.querySelector(".top"), difference = view.querySelector(".difference");
  const slider = view.querySelector("input"), says = view.querySelector("output");
  const buttons = view.querySelectorAll("button");
  let mode = "toggle", isNew = true;
  const show = () => {
    const part = slider.value / 100;
    difference.classList.toggle("gone", mode !== "difference");
    top.classList.toggle("gone", mode === "toggle" && !isNew);
    top.style.opacity = mode === "fade" ? part : 1;
    top.style.clipPath = mode === "slide" ? `inset(0 ${100 - slider.value}% 0 0)` : "none";
    slider.disabled = mode !== "slide" && mode !== "fade";
    says.textContent = mode === "toggle" ? (isNew ? "new" : "stored") : mode === "difference" ? "difference" : "left or strong: new";
    for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.mode === mode);
  };
  for (const button of buttons) button.addEventListener("click", () => {
    isNew = mode === "toggle" && button.dataset.mode === "toggle" ? !isNew : true;
    mode = button.dataset.mode;
    show();
  });
  view.querySelector(".view").addEventListener("click", () => { if (mode === "toggle") { isNew = !isNew; show(); } });
  slider.addEventListener("input", show);
  show();
}
"""

_MODES = ("toggle", "slide", "fade", "difference")


def page(facts: Mapping[str, Any], folder: Path) -> str:
    """The page of a report. `folder` has the pictures that `facts` names; whatever comes from tests is escaped."""
    failed = [record for record in facts["pictures"] if "files" in record]
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{_digest(_STYLE)}'; script-src 'sha256-{_digest(_SCRIPT)}'"
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>Pictures</title><style>{_STYLE}</style></head><body>",
        f"<h1>{len(failed)} of {len(facts['pictures'])} pictures differ</h1>",
        *(_failure(record, folder) for record in failed),
        "<h2>All pictures</h2>",
        _table([(record["name"], record["status"], record["test"], record["digest"][:16]) for record in facts["pictures"]]),
    ]
    if facts["unused"]:
        parts += ["<h2>Stored, and used by no test</h2>", _table([(name,) for name in facts["unused"]])]
    parts += ["<h2>Environment</h2>", _table(list(facts["environment"].items())), f"<script>{_SCRIPT}</script></body></html>\n"]
    return "\n".join(parts)


def _failure(record: Mapping[str, Any], folder: Path) -> str:
    files = record["files"]
    title = f"<h2>{escape(record['name'])}</h2><p>{escape(record['test'])}</p><pre>{escape(record['message'])}</pre>"
    new = _picture(folder / files["new"])
    if "difference" not in files:
        stored = f"<p>stored:</p>{_image(_picture(folder / files['stored']), 'stored')}" if "stored" in files else ""
        return f'{title}<p>new:</p><div class="view">{_image(new, "new")}</div>{stored}'
    buttons = "".join(f'<button data-mode="{mode}" aria-pressed="false">{mode}</button>' for mode in _MODES)
    pictures = [
        _image(_picture(folder / files["stored"]), "stored"),
        _image(new, "new", "top"),
        _image(_picture(folder / files["difference"]), "difference", "top difference gone"),
    ]
    slider = '<input type="range" min="0" max="100" value="50" aria-label="share of the new picture">'
    bar = f'<div class="bar">{buttons}{slider}<output></output></div>'
    return f'{title}<div class="compare">{bar}<div class="view">{"".join(pictures)}</div></div>'


def _picture(path: Path) -> str:
    """A PNG as a data URI; empty if the file is gone."""
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def _image(uri: str, words: str, kind: str = "") -> str:
    return f'<img src="{uri}" alt="{words}" class="{kind}">'


def _table(rows: list[tuple[str, ...]]) -> str:
    lines = ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
