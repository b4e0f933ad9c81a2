"""All campaigns: what each of them promises, and how much of it a night runs.

A campaign is a module of this folder with

    attempt(seed: int) -> Counter[str]    the outcomes of a seed's cases; any exception is a finding
    given(seed: int) -> str               what the seed stands for, for the report of a finding

and, if it needs one, `prepare()`, which runs once in each process. A seed determines its cases.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast


class Module(Protocol):
    """The functions of a campaign's module."""

    def attempt(self, seed: int) -> Counter[str]: ...

    def given(self, seed: int) -> str: ...


@dataclass(frozen=True)
class Campaign:
    """A row of the catalog.

    unit: a word for the cases. night: seeds of `./dev nightly`. goal: cases that a release has run. batch: seeds of one process.
    patience: seconds after which a seed counts as hung, however busy the machine is.
    """

    name: str
    unit: str
    promise: str
    night: int
    goal: int
    batch: int = 200
    patience: float = 120.0

    @property
    def module(self) -> Module:
        """The module, imported."""
        return cast(Module, import_module(f"tests.campaigns.{self.name}"))


CAMPAIGNS = {
    row.name: row
    for row in (
        Campaign(
            "texts",
            "texts",
            "Any text, in every dialect and in logs, is parsed or refused with diagnostics; a parsed program survives printing and "
            "parsing.",
            night=200,
            goal=1_000_000,
        ),
        Campaign(
            "glsl",
            "shaders in GLSL",
            "Any GLSL or HLSL text is compiled or refused within 10 s of processor time; only regular files of "
            "its folders are opened, and no directive of the text reaches glslang.",
            night=1000,
            goal=50_000,
            patience=600.0,
        ),
        Campaign(
            "tokens", "token streams", "Any words are decoded or refused; a decoded program can be encoded again.", night=200, goal=200_000
        ),
        Campaign(
            "modules",
            "modules",
            "Any SPIR-V module is read or refused with a code, within 10 s of processor time; passes accept the result.",
            night=100,
            goal=200_000,
            patience=600.0,
        ),
        Campaign(
            "faults",
            "injections",
            "If the system refuses memory, threads or files, the call fails with a clear error; the context then renders the right "
            "picture.",
            night=300,
            goal=1_000,
            batch=100,
        ),
        Campaign(
            "limits",
            "frames",
            "With a limited address space, a frame is drawn or raises MemoryError, wherever the limit is hit; the context then "
            "draws it correctly.",
            night=50,
            goal=1_000,
            batch=100,
        ),
        Campaign(
            "cycles",
            "cycles",
            "Creating, using and destroying objects leaks no memory: a process is as large after 100,000 cycles as after 10,000.",
            night=40,
            goal=100_000,
            batch=250,
            patience=600.0,
        ),
        Campaign(
            "calls",
            "calls",
            "Any method of a screen or context, with any arguments, succeeds or is refused; nothing is written outside of a resource.",
            night=60,
            goal=200_000,
            batch=100,
        ),
        Campaign(
            "programs",
            "programs",
            "A valid program, however odd, accesses only its own memory, in runs, grids and meshes.",
            night=150,
            goal=2_000,
            batch=60,
        ),
        Campaign(
            "streams",
            "streams",
            "A client of tgsi-vtest may send anything: the session continues, or ends with a line that gives the reason, and "
            "everything is freed.",
            night=500,
            goal=20_000,
        ),
        Campaign(
            "server",
            "clients",
            "A running tgsi-vtest continues whatever its clients send and however they disconnect; others get their pictures.",
            night=60,
            goal=1_000,
            batch=40,
        ),
        Campaign(
            "attack",
            "streams",
            "A running tgsi-vtest stays alive and does not grow under mutated streams; its log has only clean errors.",
            night=500,
            goal=5_000,
            patience=300.0,
        ),
        Campaign(
            "bombs",
            "shaders",
            "A shader of up to 1 MB is compiled or refused within 10 s of processor time and 500 MB, whatever constructs it "
            "repeats or mixes.",
            night=128,
            goal=636,
            batch=50,
            patience=400.0,
        ),
        Campaign(
            "traces",
            "traces",
            "A trace is replayed and printed, or refused with the command's name, its position and the reason.",
            night=50,
            goal=20_000,
            batch=50,
        ),
        Campaign(
            "threads",
            "contexts",
            "Contexts of one screen may draw in several threads at a time; each draws the same pictures as alone.",
            night=20,
            goal=1_000,
            batch=100,
        ),
        Campaign(
            "forks",
            "forks",
            "A process may be forked at any time; the child compiles and draws.",
            night=2,
            goal=100,
            batch=4,
            patience=400.0,
        ),
    )
}


def prepare(campaign: Campaign) -> None:
    """Let the module prepare the process."""
    getattr(campaign.module, "prepare", lambda: None)()
