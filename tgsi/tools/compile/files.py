"""Input of shaders, output of text or bytes."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tgsi.tools.compile.batch.names import Unread, is_folder, is_plain, shown
from tgsi.tools.compile.encodings import MAX_BYTES, log_text, text_of
from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.parsing import reason

if TYPE_CHECKING:
    from tgsi.language.text.logs import FoundProgram

_SPIRV = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")
"""First bytes of a module of SPIR-V, in either order."""
HEXADECIMAL = frozenset("0123456789abcdefABCDEF")


@cache
def _tokens() -> re.Pattern[str]:
    return re.compile(r"\ufeff?\s*[0-9a-fA-F]{8}(?:\s+[0-9a-fA-F]{8})*\s*")


def is_token_listing(text: str) -> bool:
    """True for a listing of token words in hexadecimal. Shader text never looks like this."""
    return text.lstrip("\ufeff").lstrip()[:1] in HEXADECIMAL and _tokens().fullmatch(text) is not None


class Shader(NamedTuple):
    """A shader to work on: its name in messages, its text, where it was found, if in a log, and its bytes, if it is SPIR-V."""

    name: str
    text: str
    found: FoundProgram | None = None
    module: bytes = b""

    @property
    def heading(self) -> str:
        """Words that identify a shader of a log."""
        if self.found is None:
            return self.name
        place = f"shader {self.found.number}, {self.found.source.name}:{self.found.line}"
        return f"{place}, {self.found.heading}" if self.found.heading else place


def inputs(options: argparse.Namespace) -> list[Shader]:
    """The shaders of the files, folders and patterns, or of the log; stdin if nothing is named.

    Raises:
        UsageError: a file cannot be read; the log has no shaders, or not the picked ones.
    """
    shaders = []
    for item in each(options):
        if isinstance(item, Unread):
            raise UsageError(f"{shown(item.name)}: {item.reason}")
        shaders.append(item)
    return shaders


def each(options: argparse.Namespace) -> Iterator[Shader | Unread]:
    """Yield the shaders of `inputs` one at a time, with `Unread` for a file that cannot be read. Raises UsageError about a log."""
    if options.from_log is not None:
        yield from _from_log(options)
        return
    if options.pick is not None:
        raise UsageError("--pick goes with --from-log")
    paths, unread = _expanded(options.files or ["-"], options.output)
    for name in paths:
        try:
            yield from _split(_shader(_bytes(name), _shown(name)))
        except UsageError as error:
            yield Unread(name or "''", str(error).removeprefix(f"{shown(_shown(name))}: "))
    yield from unread


def input_names(options: argparse.Namespace) -> list[str]:
    """Names of the input files, including those from folders and patterns."""
    return _expanded(options.files, options.output)[0] if options.from_log is None else [options.from_log]


def _expanded(words: list[str], output: str | None) -> tuple[list[str], list[Unread]]:
    """The files that the arguments name or match, and the arguments that match no file."""
    if all(map(is_plain, words)):
        return words, []
    from tgsi.tools.compile.batch.walk import expand

    return expand(words, output)


def _shader(data: bytes, name: str) -> Shader:
    if data[:4] in _SPIRV or name.endswith(".spv"):
        return Shader(name, "", module=data)
    return Shader(name, text_of(data, shown(name)))


def _split(shader: Shader) -> list[Shader]:
    """Split a JSON array, as --emit json prints for several shaders, into its programs; anything else is one shader."""
    if not shader.text.lstrip("\ufeff \t\r\n").startswith("["):
        return [shader]
    import json

    try:
        data = json.loads(shader.text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return [shader]  # the front end explains it
    return [Shader(f"{shader.name}[{number}]", json.dumps(item)) for number, item in enumerate(data)] or [shader]


def _from_log(options: argparse.Namespace) -> list[Shader]:
    if options.files:
        raise UsageError(f"--from-log reads shaders from a log, and {options.files[0]} is one more file")
    name = _shown(options.from_log)
    with options.watch.stage("read log"):
        from tgsi.language.text.logs import programs_in

        programs = programs_in(log_text(_bytes(options.from_log), name), name=name, dialect=options.dialect)
    if not programs:
        raise UsageError(
            f"{name}: no shader in this log: none begins with its stage, as VERT or FRAG, followed by declarations or instructions"
        )
    every = [Shader(name, item.words, item) for item in programs]
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


def one_input(options: argparse.Namespace, what: str, way: str = "") -> Shader:
    """The only shader. Raises UsageError if there are more: it lists the log's shaders to pick from, or ends with the hint `way`."""
    if options.from_log is None and len(names := input_names(options)) > 1:
        raise UsageError(f"{what} takes one file, {len(names)} given{way}")
    shaders = inputs(options)
    if len(shaders) == 1:
        return shaders[0]
    listed = "".join(f"\n  {_stage(item)} {item.heading}" for item in shaders[:20])
    more = f"\n  and {len(shaders) - 20} more" if len(shaders) > 20 else ""
    raise UsageError(f"{what} takes one shader; choose one of {len(shaders)} with --pick NUMBER:{listed}{more}")


def chain_inputs(options: argparse.Namespace, hint: str) -> list[Shader]:
    """The shaders of a chain. Raises UsageError if there are less than two."""
    if options.from_log is None and len(options.files) < 2 and len(names := input_names(options)) < 2:
        raise UsageError(f"--link takes two files or more, {len(names)} given; {hint}")
    shaders = inputs(options)
    if len(shaders) < 2:
        raise UsageError(f"--link takes two shaders or more, {len(shaders)} given; {hint}")
    return shaders


def _stage(shader: Shader) -> str:
    return shader.text.split(None, 1)[0] if shader.text.split() else "SPIR-V"


def _shown(name: str) -> str:
    return "<stdin>" if name == "-" else name


def _bytes(name: str) -> bytes:
    return _stdin() if name == "-" else read_bytes(name)


def _stdin() -> bytes:
    if sys.stdin.isatty():
        print(f"{PROGRAM}: reading from the terminal; end with Ctrl-D", file=sys.stderr)
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def read_bytes(name: str) -> bytes:
    """Read up to MAX_BYTES + 1 bytes of a file, so that callers notice a larger one. UsageError: it cannot be read."""
    if not name:
        raise UsageError("the name of a file is empty; is a variable of the shell not set?")
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise UsageError(f"{shown(name)}: {reason(error)}{_similar(name)}") from None
    except OSError as error:
        raise UsageError(f"{shown(name)}: {reason(error)}") from None
    except ValueError as error:  # the name contains NUL
        raise UsageError(f"{shown(name)}: {error}") from None


def _similar(name: str) -> str:
    """Words that suggest the file of the same folder whose name is most like this one."""
    if os.path.lexists(name):
        return f"; this is a link to {shown(os.path.realpath(name))}"
    from difflib import get_close_matches

    try:
        others = [item.name for item, _ in zip(Path(name).parent.iterdir(), range(1000))]
    except OSError:
        return ""
    near = get_close_matches(Path(name).name[:255], others, 1, 0.8)
    return f"; did you mean `{shown(near[0])}`?" if near else ""


def report(
    options: argparse.Namespace,
    findings: Sequence[Any],
    failed: bool,
    names: Sequence[str] = (),
    unread: Sequence[Unread] = (),
) -> None:
    """Write the findings: to stdout (or -o) with --check, otherwise to stderr. `names`: the input of each finding."""
    if not findings and not unread and (options.format == "text" or not options.check):
        if options.check:
            write(options, "")
        return
    from tgsi.tools.compile.batch.places import Report
    from tgsi.tools.compile.batch.reports import write_report

    made = Report(findings, names or [""] * len(findings), unread, failed)
    can_fix = options.from_log is None and "-" not in (options.files or ["-"])
    text = write_report(made, options.format, quiet=options.quiet, werror=options.werror, can_fix=can_fix)
    if options.check:
        write(options, text)
    else:
        sys.stderr.write(text)


def write_folder(options: argparse.Namespace, names: Sequence[str], contents: Sequence[str | bytes]) -> int:
    """Write files to the folder of -o, and the folders in which they lie. Returns exit code 0.

    Raises:
        UsageError: a file cannot be written, or would replace an input.
    """
    paths = [Path(options.output) / name for name in names]
    taken = {os.path.realpath(name) for name in input_names(options) if name != "-"}
    if lost := next((path for path in paths if os.path.realpath(path) in taken), None):
        raise UsageError(f"-o {shown(options.output)}: {shown(str(lost))} is an input and would be overwritten; choose another folder")
    for path, data in zip(paths, contents, strict=True):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data.encode() if isinstance(data, str) else data)
        except FileExistsError:
            raise UsageError(f"-o {shown(options.output)}: {shown(str(path.parent))} is not a folder") from None
        except OSError as error:
            raise UsageError(f"{shown(str(path))}: {reason(error)}") from None
    return 0


def write(options: argparse.Namespace, content: str | bytes) -> int:
    """Write text or bytes to the file of -o, or to stdout. Returns exit code 0."""
    if options.output is None or options.output == "-":
        if isinstance(content, str):
            sys.stdout.write(content)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
        return 0
    if is_folder(options.output):
        raise UsageError(f"-o {shown(options.output)} is a folder, and this is one text; name a file in it")
    try:
        if isinstance(content, str):
            Path(options.output).write_text(content, encoding="utf-8")
        else:
            Path(options.output).write_bytes(content)
    except OSError as error:
        raise UsageError(f"{shown(options.output)}: {reason(error)}") from None
    return 0
