"""``tgsi-compile --explain``."""

from __future__ import annotations

import argparse
import json

from tgsi.language.messages import did_you_mean
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.compile.files import write


def explain(options: argparse.Namespace) -> int:
    """Print the explanation of one diagnostic code, or list all codes. Returns the exit code."""
    from tgsi.language.codes import EXPLANATIONS

    code = options.explain.upper()
    if code == "ALL":
        return write(options, "".join(f"{name}  {item.title}\n" for name, item in EXPLANATIONS.items()))
    if code not in EXPLANATIONS:
        raise UsageError(f"there is no code `{options.explain}`; {did_you_mean(code, EXPLANATIONS) or '--explain all lists them'}")
    item = EXPLANATIONS[code]
    if options.format == "json":
        return write(options, json.dumps({"code": code, "title": item.title, "text": item.text}, indent=1) + "\n")
    import textwrap

    return write(options, f"{code}: {item.title}\n\n{textwrap.fill(item.text, 100)}\n")
