"""The page: content as inert JSON, our script and our style sheet, and a policy that allows only these."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


def page(title: str, data: dict[str, Any]) -> str:
    """The text of a self-contained HTML file."""
    import tgsi

    script, style = ((_HERE / name).read_text(encoding="utf-8") for name in ("page.js", "page.css"))
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    content = as_json(data | {"title": title, "version": tgsi.__version__})
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f'<title>{escape(_clean(title, _home()))}</title>\n<style>{style}</style>\n</head>\n<body>\n<div id="root"></div>\n'
        f'<script type="application/json" id="data">{content}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )


def as_json(data: Any) -> str:
    """JSON that cannot close its HTML element, without <, > and &, and without the user's home folder."""
    text = json.dumps(_clean(data, _home()), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _home() -> str:
    try:
        home = str(Path.home())
    except RuntimeError:
        return ""
    return home if len(home) > 3 else ""


def _clean(value: Any, home: str) -> Any:
    """The value without the home folder in texts, and without NaN and infinities."""
    if isinstance(value, str):
        text = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text.replace(home, "~") if home else text
    if isinstance(value, dict):
        return {_clean(str(key), home): _clean(item, home) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item, home) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
