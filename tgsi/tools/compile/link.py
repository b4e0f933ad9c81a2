"""``tgsi-compile --link``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tgsi.language.messages import did_you_mean
from tgsi.tools.compile.errors import UsageError
from tgsi.tools.compile.files import chain_inputs, report, write
from tgsi.tools.compile.front import DEFAULT_PROFILE, checked, fails, limits_of
from tgsi.tools.compile.link_options import check_map, link_map, link_options
from tgsi.tools.nearest import nearest

LINK_EMITS = ("link", "text", "json", "tokens")


def chains() -> str:
    """Describe the chains that link, for messages."""
    from tgsi.language.facts.stages import MESH_PIPELINE, PIPELINE

    return " or ".join(" ".join(stage.name for stage in stages) for stages in (PIPELINE, MESH_PIPELINE)) + ", some left out"


def split_profile(arguments: list[str]) -> list[str]:
    """Rewrite `--link nv40` as `--link --profile=nv40`.

    The word after --link is a profile if it names no existing file and is a profile's name, or nearly one.
    """
    rewritten = list(arguments)
    for at, word in enumerate(arguments):
        if word.startswith("--link="):
            rewritten[at : at + 1] = ["--link", f"--profile={word[7:]}"]
        elif word == "--link" and at + 1 < len(arguments) and not Path(name := arguments[at + 1]).exists():
            from linkage import PROFILES

            if name in PROFILES or (name.isalnum() and did_you_mean(name, map(str.upper, PROFILES))):
                rewritten[at + 1] = f"--profile={name}"
    return rewritten


def check_profile(options: argparse.Namespace, option: str) -> None:
    """Raise UsageError if there is no profile of the name that the option gave."""
    if options.profile == DEFAULT_PROFILE:
        return
    from linkage import PROFILES

    if options.profile not in PROFILES:
        hint = nearest(options.profile, list(PROFILES)) or f"it is one of {', '.join(PROFILES)}"
        raise UsageError(f"{option}: unknown profile `{options.profile}`; {hint}")


def _form(options: argparse.Namespace) -> str:
    """The form of the output. Raises UsageError if links cannot have it."""
    emit = options.emit or ("json" if options.format == "json" else "link")
    if emit not in LINK_EMITS:
        raise UsageError(f"--emit {emit}: a link is shown as {', '.join(LINK_EMITS)}")
    if options.explain_link and (options.emit or options.format != "text"):
        raise UsageError("--explain-link draws SVG; leave out --emit and --format")
    if options.moved and emit not in ("text", "tokens"):
        raise UsageError("--moved goes with --emit text, tokens")
    return emit


def link_shaders(options: argparse.Namespace) -> int:
    """Link the shaders of a chain with the given options. Returns the exit code."""
    from tgsi.language.diagnostics import DiagnosticError

    emit = _form(options)
    state, chosen = link_map(options), link_options(options)
    shaders = chain_inputs(options, f"a chain is {chains()}")
    from linkage import link_chain
    from linkage.dump import show

    programs: list[Any] = []
    findings: list[Any] = []
    names: dict[int, str] = {}  # of the programs by identity, once they are in order
    try:
        for shader in shaders:
            program, more = checked(shader, options)
            programs.append(program)
            findings += more
        if fails(findings, options):
            report(options, findings, True)
            return 1
        headings = {id(program): shader.heading for program, shader in zip(programs, shaders)}
        programs = in_order(programs, [shader.heading for shader in shaders])
        names = headings
        check_map(state, programs[-1])
        with options.watch.stage("link"):
            tables = link_chain(
                *programs,
                profile=options.profile,
                unmatched=options.unmatched or "fill",
                state=state,
                options=chosen,
                limits=limits_of(options),
            )
        if emit in ("text", "tokens"):
            findings += device_notes(programs, options.profile)
        if options.werror or options.format in ("sarif", "github"):  # a table shows them anyway
            findings += [item for table in tables for item in table.findings]
        if fails(findings, options):
            report(options, findings, True)
            return 1
        with options.watch.stage(f"print {emit}"):
            if options.explain_link:
                from tgsi.tools.compile.views.link_picture import link_picture

                output = link_picture(tables, programs, [names[id(program)] for program in programs])
            else:
                output = show(tables, programs, emit, state=state, options=chosen, moved=options.moved or "fragment")
    except DiagnosticError as error:
        if options.explain_link and names and error.diagnostics:
            from tgsi.tools.compile.views.link_picture import refused_picture

            write(options, refused_picture(programs, [names[id(program)] for program in programs], error.diagnostics))
        report(options, [*findings, *error.diagnostics], True)
        return 1
    if emit != "json":
        report(options, findings, False)
    return write(options, output)


def device_notes(programs: Sequence[Any], profile: str) -> list[Any]:
    """Notes on opcodes that are lowered for a device, and warnings about unsupported ones."""
    if profile == DEFAULT_PROFILE:
        return []
    from linkage.device_programs import lowering_for, untranslated
    from tgsi.language.diagnostics import Diagnostic, Severity

    findings: list[Any] = []
    for program in programs:
        lowering = str(lowering_for(program, profile))
        if lowering:
            text = f"{profile}: the {program.processor.name} program is lowered for the device: {lowering}"
            findings.append(Diagnostic("K036", Severity.NOTE, text))
        findings += untranslated(program, profile)
    return findings


def in_order(programs: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """The programs in the order of their stages; the files may come in any order. LinkError: two are of one stage."""
    from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
    from tgsi.language.facts.stages import MESH_PIPELINE, PIPELINE

    order = list(dict.fromkeys((*MESH_PIPELINE[:-1], *PIPELINE)))
    owner: dict[Any, str] = {}
    for program, name in zip(programs, names):
        if program.processor in owner:
            text = f"{owner[program.processor]} and {name} are both {program.processor.name} programs"
            raise LinkError((Diagnostic("K005", Severity.ERROR, text, (), f"a chain has one program of a stage: {chains()}"),))
        owner[program.processor] = name
    return sorted(programs, key=lambda program: order.index(program.processor) if program.processor in order else len(order))
