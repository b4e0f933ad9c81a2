"""Input of shaders, output of text or bytes."""

from __future__ import annotations

import argparse
import json
import re
import struct
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tgsi.tools.compile.errors import PROGRAM, UsageError

MAX_BYTES = 64 << 20

TOKENS = re.compile(r"\s*[0-9a-fA-F]{8}(?:\s+[0-9a-fA-F]{8})*\s*")
"""Listing of token words in hexadecimal. No shader text matches it."""


def inputs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of (name for messages, text), one per file; stdin if no file is named."""
    return [("<stdin>", _decoded(_stdin(), "<stdin>")) if name == "-" else (name, _read_file(name)) for name in names or ["-"]]


def _stdin() -> bytes:
    if sys.stdin.isatty():
        print(f"{PROGRAM}: reading from the terminal; end with Ctrl-D", file=sys.stderr)
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _read_file(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            return _decoded(file.read(MAX_BYTES + 1), name)
    except OSError as error:
        raise UsageError(f"{name}: {reason(error)}") from None
    except ValueError as error:  # the name contains NUL
        raise UsageError(f"{name!r}: {error}") from None


def _decoded(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name}: larger than {MAX_BYTES >> 20} MiB")
    if listing := _token_listing(data):
        return listing
    if b"\0" in data:
        raise UsageError(f"{name}: this is a binary file, not TGSI text")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: this is no UTF-8 text (byte 0x{data[error.start]:02x} at offset {error.start})") from None


def _token_listing(data: bytes) -> str:
    """Convert binary tokens (little-endian 32-bit words) to a listing. Returns "" if the header does not fit the size."""
    if len(data) % 4 or len(data) < 8:
        return ""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    if words[0] & 0xFF != 2 or 2 + (words[0] >> 8) != len(words) or words[1] > 5:
        return ""
    return "".join(f"{word:08x}\n" for word in words)


def reason(error: OSError) -> str:
    """The operating system's message for an error, in lower case."""
    return (error.strerror or str(error)).lower()


def report(options: argparse.Namespace, findings: Sequence[Any], failed: bool) -> None:
    """Write the findings: to stdout (or -o) with --check, otherwise to stderr."""
    if options.format == "json":
        text = json.dumps({"ok": not failed, "findings": [item.as_json() for item in findings]}, indent=1) + "\n"
        if not options.check and not findings:
            return
    else:
        text = "".join(item.render() + "\n\n" for item in findings)
        counts = Counter(item.severity.value for item in findings)
        if findings:
            notes = f", {_count(counts['note'], 'note')}" if counts["note"] else ""
            text += f"{_count(counts['error'], 'error')}, {_count(counts['warning'], 'warning')}{notes}\n"
    if options.check:
        write(options, text)
    else:
        sys.stderr.write(text)


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'s' * (number != 1)}"


def write(options: argparse.Namespace, made: str | bytes) -> int:
    """Write text or bytes to the file of -o, or to stdout. Returns exit code 0."""
    if options.output is None or options.output == "-":
        if isinstance(made, str):
            sys.stdout.write(made)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(made)
        return 0
    try:
        if isinstance(made, str):
            Path(options.output).write_text(made, encoding="utf-8")
        else:
            Path(options.output).write_bytes(made)
    except OSError as error:
        raise UsageError(f"{options.output}: {reason(error)}") from None
    return 0
