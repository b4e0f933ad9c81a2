"""One voice of all commands: the order and the words of their help and of their errors."""

from __future__ import annotations

import re

import pytest

from tgsi.tools.command import COMMANDS, main

HELPS = [("compile",), ("serve",), ("run",), ("replay",), ("inspect",), ("verify",), ("completion",)]
"""Commands whose help argparse writes."""

WRONG = [
    ("replay a --format jsno", "tgsi-replay: --format: unknown value `jsno`; did you mean `json`?"),
    ("compile a --format jsno", "tgsi-compile: --format: unknown value `jsno`; did you mean `json`?"),
    ("replay a --digets", "tgsi-replay: unknown option `--digets`; did you mean `--digest`?"),
    ("compile --chekc", "tgsi-compile: unknown option `--chekc`; did you mean `--check`?"),
    ("inspect a --pixle 3,4", "tgsi-inspect: unknown option `--pixle`; did you mean `--pixel`?"),
    ("serve --stat=3 --theads 4", "tgsi-vtest: --stats: ignored explicit argument '3'"),
    ("serve --theads 4", "tgsi-vtest: unknown option `--theads`; did you mean `--threads`?"),
    ("serve --zzz", "tgsi-vtest: unknown option `--zzz` (see tgsi-vtest --help)"),
    ("serve --threads x", "tgsi-vtest: --threads: 'x' is not a number"),
    ("serve --threads -2", "tgsi-vtest: --threads: -2 is not in 0 .. 256"),
    ("serve --clients 0", "tgsi-vtest: --clients: 0 is not in 1 .. 1073741824"),
    ("serve --log debgu", "tgsi-vtest: --log: unknown level `debgu`; did you mean `debug`? A file with this name is ./debgu"),
    ("serve --socket-mode 9", "tgsi-vtest: --socket-mode: '9' is not the mode of a file in octal digits, such as 0660"),
    ("serve --compare", "tgsi-vtest: --compare goes with --replay STREAM.bin"),
    ("vtest rnu glxgears", "tgsi-vtest: `rnu` is no option; to draw for a program, write tgsi-vtest run -- glxgears"),
    ("vtest glxgears -info", "tgsi-vtest: `glxgears` is no option; to draw for a program, write tgsi-vtest run -- glxgears -info"),
    ("replay a --max-diff -1", "tgsi-replay: --max-diff: -1 is not a number from 0 on"),
    ("run", "tgsi-vtest run: a command is missing: tgsi-vtest run -- glxgears"),
    ("replay", "tgsi-replay: FILE is missing"),
    ("inspect", "tgsi-inspect: FILE is missing"),
    ("inspect a b", "tgsi-inspect: unexpected argument `b`"),
    ("inspect a --pixel 3", "tgsi-inspect: --pixel: '3' is not a pixel; X,Y are numbers from 0, such as 120,80"),
    ("replay a --explain 3", "tgsi-replay: --explain: '3' is not a pixel; X,Y are numbers from 0, such as 120,80"),
    ("inspect a --threads -1", "tgsi-inspect: --threads: -1 is not in 0 .. 256"),
    ("inspect no-such-file", "tgsi-inspect: no-such-file: no such file or directory"),
    ("replay --print no-such-file", "tgsi-replay: no-such-file: no such file or directory"),
    ("replay --explain 1,1 no-such-file", "tgsi-replay: no-such-file: no such file or directory"),
    ("replay --shrink raises no-such-file", "tgsi-replay: no-such-file: no such file or directory"),
    ("compile no-such-file", "tgsi-compile: no-such-file: no such file or directory"),
    ("verify --jobs x", "tgsi-verify: --jobs: 'x' is not a number"),
    ("verify --jobs 0", "tgsi-verify: --jobs: 0 is not in 1 .. 999"),
    ("verify scene-01", "tgsi-verify: unknown case `scene-01`; the cases are scene-000 to scene-259 and program-000 to program-239"),
    ("verify scene-000 --resume no-such/state", "tgsi-verify: --resume: no-such/state: there is no folder no-such"),
    ("replay a --timeout", "tgsi-replay: --timeout: the value is missing"),
    ("completion fish", "tgsi completion: shell: unknown value `fish`; it is one of bash, zsh"),
    ("vtest --zzz", "tgsi-vtest: unknown option `--zzz` (see tgsi-vtest --help)"),
    ("relpay a", "tgsi: there is no command `relpay`; did you mean `replay`?"),
]


def ran(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize(("line", "message"), WRONG, ids=[line for line, _ in WRONG])
def test_an_error_is_one_line_and_exit_code_2(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.rstrip("\n").splitlines() == [message]


@pytest.mark.parametrize("words", HELPS, ids=[words[0] for words in HELPS])
def test_help_has_usage_one_sentence_options_and_exit_codes_in_this_order(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran([*words, "--help"]) == 0
    text = capsys.readouterr().out
    places = [text.index(mark) for mark in ("usage: tgsi", "options:", "xit code")]
    assert places == sorted(places)
    description = text.split("\n\n")[1]
    assert re.match(r"[A-Z][a-z]+[ ,]", description), description
    assert description.rstrip().endswith(".")
    assert max(map(len, description.splitlines())) < 140
    for line in re.findall(r"^  -\S.*?  +(\S.*)$", text, re.MULTILINE):
        assert not re.match(r"[A-Z][a-z]", line), line


def test_every_command_has_one_line_that_begins_with_a_verb() -> None:
    for name, command in COMMANDS.items():
        assert re.match(r"[a-z]+,? ", command.help), name
        assert not command.help.endswith("."), name
