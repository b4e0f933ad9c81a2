"""Input of shaders, output of text or bytes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tgsi.tools.compile.encodings import MAX_BYTES, log_text, text_of
from tgsi.tools.compile.errors import PROGRAM, UsageError

if TYPE_CHECKING:
    from tgsi.language.text.logs import FoundProgram

TOKENS = re.compile(r"\ufeff?\s*[0-9a-fA-F]{8}(?:\s+[0-9a-fA-F]{8})*\s*")
"""Listing of token words in hexadecimal. No shader text matches it."""


_SPIRV = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")
"""First bytes of a module of SPIR-V, in either order."""


class Shader(NamedTuple):
    """A shader to work on: its name in messages, its text, where it was found, if in a log, and its bytes, if it is SPIR-V."""

    name: str
    text: str
    found: FoundProgram | None = None
    module: bytes = b""

    @property
    def heading(self) -> str:
        """Words that tell the shaders of a log apart."""
        if self.found is None:
            return self.name
        place = f"shader {self.found.number}, {self.found.source.name}:{self.found.line}"
        return f"{place}, {self.found.heading}" if self.found.heading else place


def inputs(options: argparse.Namespace) -> list[Shader]:
    """The shaders of the files, or of the log; stdin if no file is named.

    Raises:
        UsageError: a file cannot be read; the log has no shaders, or not those that are picked.
    """
    if options.from_log is not None:
        return _from_log(options)
    if options.pick is not None:
        raise UsageError("--pick goes with --from-log")
    return [_shader(_bytes(name), _shown(name)) for name in options.files or ["-"]]


def names(options: argparse.Namespace) -> list[str]:
    """Names of the input files."""
    return list(options.files)


def _shader(data: bytes, name: str) -> Shader:
    if data[:4] in _SPIRV or name.endswith(".spv"):
        return Shader(name, "", module=data)
    return Shader(name, text_of(data, name))


def _from_log(options: argparse.Namespace) -> list[Shader]:
    if options.files:
        raise UsageError(f"--from-log reads shaders from a log, and {options.files[0]} is one more file")
    name = _shown(options.from_log)
    with options.watch.stage("read log"):
        from tgsi.language.text.logs import programs_in

        found = programs_in(log_text(_bytes(options.from_log), name), name=name, dialect=options.dialect)
    if not found:
        raise UsageError(
            f"{name}: no shader in this log: none begins with its stage, as VERT or FRAG, followed by declarations or instructions"
        )
    every = [Shader(name, item.words, item) for item in found]
    return every if options.pick is None else [every[number - 1] for number in _picked(options.pick, len(every), name)]


def _picked(text: str, count: int, name: str) -> list[int]:
    """The numbers of ``--pick 1,3-5``."""
    numbers: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*([0-9]{1,6})\s*(?:-\s*([0-9]{1,6})\s*)?", part)
        if ends is None:
            raise UsageError(f"--pick {text}: write numbers of shaders, as 3 or 1,4-6")
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if not 1 <= first <= last <= count:
            raise UsageError(f"--pick {text}: {name} has the {f'shaders 1 to {count}' if count > 1 else 'shader 1 only'}")
        numbers += range(first, last + 1)
    return numbers


def one_input(options: argparse.Namespace, what: str) -> Shader:
    """The only shader. Raises UsageError, with a list of those that may be picked from a log, if there are more."""
    if options.from_log is None and len(options.files) > 1:
        raise UsageError(f"{what} takes one file, {len(options.files)} given")
    shaders = inputs(options)
    if len(shaders) == 1:
        return shaders[0]
    listed = "".join(f"\n  {_stage(item)} {item.heading}" for item in shaders[:20])
    more = f"\n  and {len(shaders) - 20} more" if len(shaders) > 20 else ""
    raise UsageError(f"{what} takes one shader; choose one of {len(shaders)} with --pick NUMBER:{listed}{more}")


def chain_inputs(options: argparse.Namespace, hint: str) -> list[Shader]:
    """The shaders of a chain. Raises UsageError if there are less than two."""
    if options.from_log is None and len(options.files) < 2:
        raise UsageError(f"--link takes two files or more, {len(options.files)} given; {hint}")
    shaders = inputs(options)
    if len(shaders) < 2:
        raise UsageError(f"--link takes two shaders or more, {len(shaders)} given; {hint}")
    return shaders


def _stage(shader: Shader) -> str:
    return shader.text.split(None, 1)[0] if shader.text.split() else "SPIR-V"


def _shown(name: str) -> str:
    return "<stdin>" if name == "-" else name


def _bytes(name: str) -> bytes:
    return _stdin() if name == "-" else _read_file(name)


def _stdin() -> bytes:
    if sys.stdin.isatty():
        print(f"{PROGRAM}: reading from the terminal; end with Ctrl-D", file=sys.stderr)
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _read_file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{name}: {reason(error)}") from None
    except ValueError as error:  # the name contains NUL
        raise UsageError(f"{name!r}: {error}") from None


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


def write_folder(options: argparse.Namespace, names: Sequence[str], made: Sequence[bytes]) -> int:
    """Write files to the folder of -o. Returns exit code 0."""
    if options.output in (None, "-"):
        raise UsageError(f"--emit {options.emit} of {len(names)} files goes to a folder: -o FOLDER")
    if len(set(names)) < len(names):
        raise UsageError(f"-o {options.output}: two files would be {next(name for name in names if names.count(name) > 1)}")
    try:
        Path(options.output).mkdir(exist_ok=True)
        for name, data in zip(names, made, strict=True):
            (Path(options.output) / name).write_bytes(data)
    except FileExistsError:
        raise UsageError(f"{options.output} is no folder") from None
    except OSError as error:
        raise UsageError(f"{options.output}: {reason(error)}") from None
    return 0


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
