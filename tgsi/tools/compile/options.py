"""Options of ``tgsi-compile``."""

from __future__ import annotations

import argparse
import os
import sys
from functools import cache
from typing import Any, NoReturn

from backends.glsl.version import DEFAULT as DEFAULT_GLSL
from backends.glsl.version import VERSIONS as GLSL
from tgsi.tools.compile.draw.options import add_draw_options
from tgsi.tools.compile.errors import PROGRAM, UsageError
from tgsi.tools.compile.front import DEFAULT_PROFILE
from tgsi.tools.compile.link_options import add_link_options
from tgsi.tools.compile.passes import add_pass_options
from tgsi.tools.compile.run_options import add_nvk_options, add_run_options
from tgsi.tools.compile.source_options import add_source_options
from tgsi.tools.compile.state import add_state_option
from tgsi.tools.compile.targets import add_target_options
from tgsi.tools.compile.views.options import add_view_options
from tgsi.tools.parsing import Parser, reworded

EMITS = ("text", "canonical", "ir", "json", "mesa", "tokens", "llvm", "asm", "obj", "glsl", "spirv", "spirv-text", "link", "nvk")
DIALECTS = ("default", "strict", "legacy")
LANES = (4, 8, 16, 32, 64)
LIMITS = ("sm3", "byte", "arbitrary", "a", "b", "c", "d", "e", "f")


class _Parser(Parser):
    """Parser that raises UsageError, and whose help has examples."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(reworded(message))

    def format_help(self) -> str:
        """The help with its examples, whose parts are loaded only now."""
        self.epilog = _epilog()
        return super().format_help()


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Formatter of the terminal's width. argparse makes one for each option, and would load archives of all kinds for its first one."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, **{"width": _columns(), **more})


@cache
def _columns() -> int:
    """Characters of a line of help: COLUMNS, or else the terminal's width, less a margin."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given) - 2
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns - 2
    except (AttributeError, ValueError, OSError):
        return 78


def _epilog() -> str:
    """Examples and notes below the help."""
    from tgsi.language.listing import JSON_NOTE

    return f"""\
examples:
  {PROGRAM} shader.tgsi                    canonical text
  {PROGRAM} shader.frag                    TGSI of GLSL; also .vert .geom .tesc .tese .comp .mesh .task, .frag.hlsl, .spv
  {PROGRAM} --check shaders                findings only, of every shader below a folder; docs/ci.md
  {PROGRAM} --check 'src/**/*.tgsi' --lint --werror --format github   for a log of GitHub Actions; sarif, json
  {PROGRAM} --fix shaders                  correct what is certain; --diff only shows it
  {PROGRAM} --check shaders --watch        again whenever a file changes
  {PROGRAM} shaders --emit spirv -o out/   a file for each shader
  {PROGRAM} --check --profile nv40 *.tgsi  findings for a device: may it link these semantics?
  {PROGRAM} --emit glsl shader.tgsi        GLSL of any program; --glsl-version "320 es"
  {PROGRAM} --emit glsl shader.tgsi --state alpha-test=GREATER:0.5,bindings=SAMP:8
  {PROGRAM} --emit tokens shader.tgsi      token words, which it also reads
  {PROGRAM} --emit asm --cpu x86-64-v3 -   machine code of a shader from stdin
  {PROGRAM} --emit obj --target aarch64-linux-gnu --cpu cortex-a76 -o shader.o shader.tgsi
  {PROGRAM} --time-passes shader.tgsi
  {PROGRAM} --link vertex.tgsi fragment.tgsi
  {PROGRAM} vertex.tgsi fragment.tgsi --link nv40 --emit tokens   the fragment program, patched
  {PROGRAM} vertex.tgsi geometry.tgsi fragment.tgsi --link nv50 --map GENERIC[0]=TEXCOORD[2] --light-twoside
  {PROGRAM} --passes default --print-after all shader.tgsi
  {PROGRAM} mesh.tgsi task.tgsi --emit nvk --grid 4x2 --compare   methods and lowered programs, and both executions
  {PROGRAM} vertex.tgsi fragment.tgsi --explain-link -o link.svg   the link as a picture
  {PROGRAM} shader.tgsi --steps            the difference that each pass makes
  {PROGRAM} shader.vert shader.frag --draw out.png --mesh torus   a picture; docs/draw.md
  {PROGRAM} --explain V030                 also MAD, GENERIC, nv40, if-to-select, ...; `all`, `opcodes`, `passes`
  ST_DEBUG=tgsi glxgears 2>&1 | {PROGRAM} --from-log -     every shader in the output of a program
  {PROGRAM} --from-log bug.txt --pick 3 --run --trace
  {PROGRAM} --run vertex.tgsi --inputs "[[[1.0, 2, 3, 4]]]" --constants 0=constants.npy
  {PROGRAM} --run fragment.tgsi --inputs in.npy --textures 0=picture.png --samplers 0=linear,repeat --trace
  {PROGRAM} --run compute.tgsi --grid 4x4 --buffers 0=zeros:256 -o result.npz

Exit codes: 0 success (with warnings, too, without --werror), 1 the shaders have errors, 2 a file or an option is wrong.

{JSON_NOTE}
Findings as JSON: {{"ok", "findings": [{{"code", "severity", "message", "hint", "labels": [{{"file", "line", "column", "start", "end",
"text"}}], "fixes": [{{"start", "end", "text"}}]}}], "unread": [{{"file", "reason"}}]}}; a finding without labels has "file", and
"unread" is left out if it is empty. --check writes findings to stdout, everything else to stderr.
Results of --run as JSON: {{"outputs", "alive", "emitted", "strips", "buffers", "memory", "counters", "images", "trace"}}. Numbers are
32-bit words; parts that the run does not have are left out. With -o FILE.npz the results are arrays.
"""


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of the command line. The parser raises UsageError."""
    parser = _Parser(
        prog=PROGRAM,
        allow_abbrev=False,
        formatter_class=_Formatter,
        description="Check, print and compile shaders in TGSI, GLSL, HLSL and SPIR-V. Without an action the canonical text is printed.",
    )
    actions = parser.add_mutually_exclusive_group()
    _add_inputs(parser)
    _add_findings(parser, actions)
    _add_output(parser)
    add_source_options(parser)
    add_target_options(parser)
    parser.add_argument(
        "--glsl-version",
        metavar="VERSION",
        default=DEFAULT_GLSL,
        help=f"version of --emit glsl: {', '.join(GLSL)} (default: {DEFAULT_GLSL})",
    )
    add_state_option(parser)
    parser.add_argument("--lanes", type=int, choices=LANES, default=16, help="invocations per vector in llvm, asm and obj (default: 16)")
    add_pass_options(parser)
    parser.add_argument(
        "--time-passes",
        action="store_true",
        help="print the time of each stage to stderr; without an action, compile the shader and print only the times",
    )
    add_link_options(parser)
    add_run_options(parser, actions)
    add_draw_options(parser, actions)
    add_view_options(parser, actions)
    add_nvk_options(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="print findings only: no counts, and no messages of --watch")
    parser.add_argument(
        "--watch", dest="again", action="store_true", help="do it all again whenever a file changes that the command read; Ctrl-C ends this"
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    return parser


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    """Options of the shaders that are read."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="shaders: TGSI as text, or tokens as hexadecimal or binary words; GLSL, HLSL; SPIR-V. A folder means every shader below it, "
        "'src/**/*.tgsi' those that match, `-` or no file stdin",
    )
    parser.add_argument(
        "--from-log",
        metavar="FILE",
        help="take the shaders from a log, `-` for stdin: output of drivers and programs with lines of any kind around and in front of the "
        "text, or a trace of GALLIUM_TRACE. Places in messages are those of the log; old text is read as legacy text",
    )
    parser.add_argument("--pick", metavar="NUMBERS", help="shaders of the log to take, as 3 or 1,4-6 (default: all)")


def _add_findings(parser: argparse.ArgumentParser, actions: Any) -> None:
    """Options of findings, corrections and explanations."""
    actions.add_argument("--check", action="store_true", help="only report findings")
    parser.add_argument("--lint", action="store_true", help="with --check: also report likely mistakes in valid shaders (codes L...)")
    parser.add_argument("--werror", action="store_true", help="warnings give the exit code 1, too, and no output, as errors do")
    parser.add_argument("--fix", action="store_true", help="correct the files where that is certain, and show the difference")
    parser.add_argument(
        "--diff", action="store_true", help="show the difference that --fix would make, and write nothing; exit code 1 if any"
    )
    actions.add_argument("--link", action="store_true", help="link the shaders of a chain; a profile may follow, as `--link nv40`")
    actions.add_argument(
        "--explain",
        metavar="NAME",
        help="explain a code of findings, an opcode, a semantic, a property, a register file, a stage, a texture target, a pass, a profile "
        "or a capability. `all` lists the codes; `opcodes`, `semantics`, `passes` and so on list the others",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Options for the output, and for the rules that shaders must obey."""
    parser.add_argument(
        "--emit",
        choices=EMITS,
        help="form of the output (default: text; with --link a table; it takes link, json, text, tokens)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write to FILE instead of stdout; to a FOLDER/ with a file for each shader, named after it"
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github"),
        default="text",
        help="form of findings: SARIF 2.1.0, commands of GitHub Actions; of link tables and results text or json",
    )
    parser.add_argument(
        "--dialect",
        choices=DIALECTS,
        default="default",
        help="strict: only text that Mesa 18.1 accepts; legacy: also texts of 2007 to 2017",
    )
    parser.add_argument("--limits", choices=LIMITS, help="semantic limits that judge shaders instead of the profile's, e.g. sm3")
    parser.add_argument(
        "--profile", default=DEFAULT_PROFILE, metavar="NAME", help=f"device that judges and links shaders (default: {DEFAULT_PROFILE})"
    )
