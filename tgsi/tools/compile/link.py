"""``tgsi-compile --link``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tgsi.language.messages import did_you_mean
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.compile.files import inputs, report, write
from tgsi.tools.compile.front import DEFAULT_PROFILE, checked, limits_of
from tgsi.tools.compile.nearest import nearest

LINK_EMITS = ("link", "text", "json", "tokens")


def split_profile(arguments: list[str]) -> list[str]:
    """Rewrite `--link nv40` as `--link --profile=nv40`.

    The word after --link is a profile if it names no existing file and is a profile's name, or nearly one.
    """
    made = list(arguments)
    for at, word in enumerate(arguments):
        if word.startswith("--link="):
            made[at : at + 1] = ["--link", f"--profile={word[7:]}"]
        elif word == "--link" and at + 1 < len(arguments) and not Path(name := arguments[at + 1]).exists():
            from linkage import PROFILES

            if name in PROFILES or (name.isalnum() and did_you_mean(name, map(str.upper, PROFILES))):
                made[at + 1] = f"--profile={name}"
    return made


def check_profile(options: argparse.Namespace, option: str) -> None:
    """Raise UsageError if there is no profile of the name that the option gave."""
    if options.profile == DEFAULT_PROFILE:
        return
    from linkage import PROFILES

    if options.profile not in PROFILES:
        hint = nearest(options.profile, list(PROFILES)) or f"it is one of {', '.join(PROFILES)}"
        raise UsageError(f"{option}: unknown profile `{options.profile}`; {hint}")


def link_shaders(options: argparse.Namespace) -> int:
    """Link two shaders with the given options. Returns the exit code."""
    from tgsi.language.diagnostics import DiagnosticError
    from tgsi.language.facts.enums import Processor

    emit = options.emit or ("json" if options.format == "json" else "link")
    if emit not in LINK_EMITS:
        raise UsageError(f"--emit {emit}: a link is shown as {', '.join(LINK_EMITS)}")
    if len(options.files) != 2:
        raise UsageError(f"--link takes two files, {len(options.files)} given")
    from linkage import link
    from linkage.dump import show

    programs: list[Any] = []
    found: list[Any] = []
    try:
        for name, text in inputs(options.files):
            program, more = checked(text, name, options)
            programs.append(program)
            found += more
        if any(item.severity.value == "error" for item in found):
            report(options, found, True)
            return 1
        vertex, fragment = sorted(programs, key=lambda program: program.processor is Processor.FRAG)  # the files may come in either order
        with options.watch.stage("link"):
            table = link(vertex, fragment, profile=options.profile, limits=limits_of(options))
        with options.watch.stage(f"print {emit}"):
            made = show(table, vertex, fragment, emit)
    except DiagnosticError as error:
        report(options, [*found, *error.diagnostics], True)
        return 1
    if emit != "json":
        report(options, found, False)
    return write(options, made)
