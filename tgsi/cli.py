"""``tgsi-compile``: check, print and compile shaders from the command line.

Exit codes: 0 all right, 1 the shaders have errors, 2 the command could not be carried out as given.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO

from tgsi.messages import did_you_mean

PROGRAM = "tgsi-compile"
MAX_BYTES = 64 << 20
EMITS = ("text", "ir", "json", "mesa", "tokens", "llvm", "asm", "link")
LINK_EMITS = ("link", "text", "json", "tokens")
DIALECTS = ("default", "strict", "legacy")
LANES = (4, 8, 16, 32, 64)
LIMITS = ("sm3", "byte", "arbitrary", "a", "b", "c", "d", "e", "f")
CPUS = ("host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")


_TOKENS = re.compile(r"\s*[0-9a-fA-F]{8}(?:\s+[0-9a-fA-F]{8})*\s*")
"""A listing of token words, which no shader text looks like."""


class UsageError(Exception):
    """The command cannot be carried out: its message goes to stderr, and the exit code is 2."""


class _Parser(argparse.ArgumentParser):
    """argparse whose complaints say what was probably meant."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            hint = _nearest(str(value), names) or f"it is one of {', '.join(names)}"
            raise UsageError(f"{'/'.join(action.option_strings)}: unknown value `{value}`; {hint}")


def _nearest(word: str, names: Sequence[str]) -> str:
    by_upper = {name.upper(): name for name in names}
    hint = did_you_mean(word, by_upper)
    for upper, name in by_upper.items():
        hint = hint.replace(f"`{upper}`", f"`{name}`")
    return hint


def _parser() -> _Parser:
    from tgsi.listing import JSON_NOTE
    from tgsi.pipelines import add_options
    from tgsi.run_cli import add_run_options

    parser = _Parser(
        prog=PROGRAM,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Check, print and compile TGSI shaders. Without an action the canonical text is printed.",
        epilog=f"""\
examples:
  {PROGRAM} shader.tgsi                    canonical text
  {PROGRAM} --check *.tgsi                 findings only
  {PROGRAM} --emit tokens shader.tgsi      token words, which it also reads
  {PROGRAM} --emit asm --cpu x86-64-v3 -   machine code of a shader from stdin
  {PROGRAM} --link vertex.tgsi fragment.tgsi
  {PROGRAM} vertex.tgsi fragment.tgsi --link nv40 --emit tokens   the fragment program, patched
  {PROGRAM} --passes default --print-after all shader.tgsi
  {PROGRAM} --explain V030

exit codes: 0 all right, 1 the shaders have errors, 2 the command could not be carried out.

{JSON_NOTE}
Findings as JSON: {{"ok", "findings": [{{"code", "severity", "message", "hint", "labels": [{{"file", "line", "column", "start", "end",
"text"}}]}}]}}. --check writes findings to stdout, everything else to stderr.
""",
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="shaders as text, or tokens as hexadecimal or binary words; `-` or nothing is stdin"
    )
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument("--check", action="store_true", help="only report what is wrong")
    actions.add_argument("--link", action="store_true", help="link two shaders; a profile may follow, as `--link nv40`")
    actions.add_argument("--explain", metavar="CODE", help="tell what a finding's code means (`all` lists every code)")
    parser.add_argument(
        "--emit", choices=EMITS, help="what to make (default: canonical text; with --link a table; there also link, json, text, tokens)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of findings and link tables")
    parser.add_argument(
        "--dialect", choices=DIALECTS, default="default", help="strict: what Mesa 18.1 takes; legacy: texts of 2008 to 2017"
    )
    parser.add_argument("--limits", choices=LIMITS, help="semantic limits to hold shaders to, e.g. sm3")
    parser.add_argument("--profile", default="software", metavar="NAME", help="linkage profile (default: software)")
    parser.add_argument("--cpu", choices=CPUS, default="host", help="target of llvm and asm (default: host)")
    parser.add_argument("--lanes", type=int, choices=LANES, default=16, help="invocations side by side in llvm and asm (default: 16)")
    add_options(parser)
    add_run_options(parser, actions)
    parser.add_argument("--version", action="store_true", help="print the version")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code. Never raises for what a user can do."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 it lives as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a shader may hold characters that the terminal does not know
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except UsageError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has seen enough
        _discard_output()
        return 0
    except OSError as error:
        print(f"{PROGRAM}: output: {_reason(error)}", file=sys.stderr)
        _discard_output()
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("TGSI_DEBUG"):
            raise
        print(f"{PROGRAM}: internal error: {type(error).__name__}: {error} (TGSI_DEBUG=1 shows where)", file=sys.stderr)
        return 1
    return code


def _discard_output() -> None:
    """Let the interpreter's last flush succeed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    parser = _parser()
    try:
        options, unknown = parser.parse_known_args(_link_profile(arguments))
    except SystemExit as done:  # --help
        return int(done.code or 0)
    if unknown:
        options_known = [name for action in parser._actions for name in action.option_strings]
        hint = _nearest(unknown[0].split("=")[0], options_known)
        raise UsageError(f"unknown option `{unknown[0]}`{f'; {hint}' if hint else f' (see {PROGRAM} --help)'}")
    if options.version:
        from importlib.metadata import version

        print(f"{PROGRAM} {version('tgsi')}")
        return 0
    if options.list_passes:
        from tgsi.pipelines import listing

        return _write(options, listing())
    if options.explain is not None:
        return _explain(options)
    if options.link:
        return _link(options)
    if options.run:
        return _run_shader(options)
    if options.emit == "link":
        raise UsageError("--emit link goes with --link")
    if options.emit and options.check:
        raise UsageError("argument --emit: not allowed with argument --check")
    return _compile(options)


def _link_profile(arguments: list[str]) -> list[str]:
    """`--link nv40` as `--link --profile=nv40`: behind --link a word that is no file, and (nearly) a profile's name, is a profile."""
    made = list(arguments)
    for at, word in enumerate(arguments):
        if word.startswith("--link="):
            made[at : at + 1] = ["--link", f"--profile={word[7:]}"]
        elif word == "--link" and at + 1 < len(arguments) and not Path(name := arguments[at + 1]).exists():
            from linkage import PROFILES

            if name in PROFILES or (name.isalnum() and did_you_mean(name, map(str.upper, PROFILES))):
                made[at + 1] = f"--profile={name}"
    return made


def _explain(options: argparse.Namespace) -> int:
    from tgsi.codes import EXPLANATIONS

    code = options.explain.upper()
    if code == "ALL":
        return _write(options, "".join(f"{name}  {item.title}\n" for name, item in EXPLANATIONS.items()))
    if code not in EXPLANATIONS:
        raise UsageError(f"there is no code `{options.explain}`; {did_you_mean(code, EXPLANATIONS) or '--explain all lists them'}")
    item = EXPLANATIONS[code]
    if options.format == "json":
        return _write(options, json.dumps({"code": code, "title": item.title, "text": item.text}, indent=1) + "\n")
    import textwrap

    return _write(options, f"{code}: {item.title}\n\n{textwrap.fill(item.text, 100)}\n")


def _compile(options: argparse.Namespace) -> int:
    from tgsi.diagnostics import DiagnosticError
    from tgsi.pipelines import make_runner

    try:
        run_passes = make_runner(options, sys.stderr.write)
    except ValueError as error:
        raise UsageError(str(error)) from None
    texts = _inputs(options.files)
    findings: list[Any] = []
    made: list[Any] = []
    failed = False
    for name, text in texts:
        try:
            program, found = _checked(text, name, options)
            findings += found
            if any(item.severity.value == "error" for item in found):
                failed = True
            elif not options.check:
                made.append(_emit(run_passes(program), options))
        except DiagnosticError as error:
            findings += error.diagnostics
            failed = True
    _report(options, findings, failed)
    if options.check or (failed and not made):
        return int(failed)
    if (options.emit or "text") == "json":
        _write(options, json.dumps(made[0] if len(texts) == 1 else made, indent=1) + "\n")
    else:
        _write(options, "\n".join(made))
    return int(failed)


def _checked(text: str, name: str, options: argparse.Namespace) -> tuple[Any, tuple[Any, ...]]:
    from passes.validate import check
    from passes.validate.semantics import LIMITS as BY_NAME
    from tgsi.parser import parse

    if _TOKENS.fullmatch(text):
        from tgsi.decoder import decode

        program = decode([int(word, 16) for word in text.split()], name=name)
    else:
        program = parse(text, name=name, dialect=options.dialect)
    return program, check(program, semantic_limits=BY_NAME[options.limits] if options.limits else None)


def _emit(program: Any, options: argparse.Namespace) -> Any:
    emitters: dict[str, Callable[[Any, argparse.Namespace], Any]] = {
        "text": lambda program, _: str(program),
        "ir": _emit_ir,
        "json": _emit_json,
        "mesa": _emit_mesa,
        "tokens": _emit_tokens,
        "llvm": _emit_llvm,
        "asm": _emit_asm,
    }
    return emitters[options.emit or "text"](program, options)


def _emit_ir(program: Any, _: argparse.Namespace) -> str:
    from tgsi.listing import list_program

    return list_program(program)


def _emit_json(program: Any, _: argparse.Namespace) -> dict[str, Any]:
    from tgsi.listing import program_as_json

    return program_as_json(program)


def _emit_mesa(program: Any, _: argparse.Namespace) -> str:
    from tgsi.dumper import dump_mesa

    return dump_mesa(program)


def _emit_tokens(program: Any, _: argparse.Namespace) -> str:
    from tgsi.encoder import encode

    return "".join(f"{word:08x}\n" for word in encode(program))


def _emit_llvm(program: Any, options: argparse.Namespace) -> str:
    from backends.llvm.listing import llvm_text

    return _generated(llvm_text, program, options)


def _emit_asm(program: Any, options: argparse.Namespace) -> str:
    from backends.llvm.listing import assembly

    return _generated(assembly, program, options)


def _generated(make: Callable[..., str], program: Any, options: argparse.Namespace) -> str:
    try:
        return make(program, cpu=options.cpu, lanes=options.lanes)
    except ValueError as error:  # a cpu that this LLVM or machine does not know
        raise UsageError(str(error)) from None


def _link(options: argparse.Namespace) -> int:
    from tgsi.diagnostics import DiagnosticError
    from tgsi.enums import Processor

    emit = options.emit or ("json" if options.format == "json" else "link")
    if emit not in LINK_EMITS:
        raise UsageError(f"--emit {emit}: a link is shown as {', '.join(LINK_EMITS)}")
    if len(options.files) != 2:
        raise UsageError(f"--link takes two files, {len(options.files)} given")
    from linkage import PROFILES, link
    from linkage.dump import show

    if options.profile not in PROFILES:
        hint = _nearest(options.profile, list(PROFILES)) or f"it is one of {', '.join(PROFILES)}"
        raise UsageError(f"--link: unknown profile `{options.profile}`; {hint}")
    programs: list[Any] = []
    found: list[Any] = []
    try:
        for name, text in _inputs(options.files):
            program, more = _checked(text, name, options)
            programs.append(program)
            found += more
        if any(item.severity.value == "error" for item in found):
            _report(options, found, True)
            return 1
        vertex, fragment = sorted(programs, key=lambda program: program.processor is Processor.FRAG)  # either order will do
        made = show(link(vertex, fragment, profile=options.profile), vertex, fragment, emit)
    except DiagnosticError as error:
        _report(options, [*found, *error.diagnostics], True)
        return 1
    if emit != "json":
        _report(options, found, False)
    return _write(options, made)


def _run_shader(options: argparse.Namespace) -> int:
    from tgsi.diagnostics import DiagnosticError
    from tgsi.run_cli import ArgumentsError, run_shader

    if options.emit:
        raise UsageError("argument --emit: not allowed with argument --run")
    if len(options.files) > 1:
        raise UsageError(f"--run takes one file, {len(options.files)} given")
    ((name, text),) = _inputs(options.files)
    found: tuple[Any, ...] = ()
    try:
        program, found = _checked(text, name, options)
        if any(item.severity.value == "error" for item in found):
            _report(options, found, True)
            return 1
        made = run_shader(program, options)
    except DiagnosticError as error:
        _report(options, [*found, *error.diagnostics], True)
        return 1
    except ArgumentsError as error:
        raise UsageError(f"--run: {error}") from None
    if options.format != "json":
        _report(options, found, False)
    return _write(options, made)


def _inputs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Names for messages, and texts."""
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
        raise UsageError(f"{name}: {_reason(error)}") from None
    except ValueError as error:  # a NUL in the name
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
    """Binary tokens (little-endian words) as a listing; nothing where the header does not fit the size."""
    if len(data) % 4 or len(data) < 8:
        return ""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    if words[0] & 0xFF != 2 or 2 + (words[0] >> 8) != len(words) or words[1] > 5:
        return ""
    return "".join(f"{word:08x}\n" for word in words)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _report(options: argparse.Namespace, findings: Sequence[Any], failed: bool) -> None:
    """Findings go to stdout where they are what was asked for."""
    if options.format == "json":
        text = json.dumps({"ok": not failed, "findings": [item.as_json() for item in findings]}, indent=1) + "\n"
        if not options.check and not findings:
            return
    else:
        text = "".join(item.render() + "\n\n" for item in findings)
        errors = sum(item.severity.value == "error" for item in findings)
        if findings:
            text += f"{_count(errors, 'error')}, {_count(len(findings) - errors, 'warning')}\n"
    if options.check:
        _write(options, text)
    else:
        sys.stderr.write(text)


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'s' * (number != 1)}"


def _write(options: argparse.Namespace, text: str) -> int:
    """Put text where -o says; returns exit code 0."""
    if options.output is None or options.output == "-":
        out: TextIO = sys.stdout
        out.write(text)
        return 0
    try:
        Path(options.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{options.output}: {_reason(error)}") from None
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
