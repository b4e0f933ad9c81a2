"""Linkage: finds the output of one stage that feeds each input of the next.

Values are matched by semantics; register numbers are irrelevant. `link.link` checks two programs against a limit set (`legality`), matches
them (`match`) and adds the scheme of a device (`profiles`). `table` and `rows` hold the result, `usage` the registers that a program really
reads and writes. `chain` links all stages of a draw, `linker` patches a program in place for many partners, at the places found by
`relocate`. `layout`, `sm3` and `interner` map GENERIC indices to slots, shader model 3 names and strings.

May import `passes` and `tgsi.language`: no numpy, no llvmlite, no device. A pair of programs is linked once, and the table is cached. Read
next: `table`, then `match`, then docs/linkage.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from linkage.link import link  # imported at once, because the module of the same name would replace it

if TYPE_CHECKING:
    from linkage.chain import PairCache, link_chain, link_stages
    from linkage.interner import SemanticInterner
    from linkage.linker import LinkCounters, LinkedCopy, Linker, OutputLinker, linked_program
    from linkage.options import LinkOptions, LinkState
    from linkage.profiles import PROFILES
    from linkage.rows import DeadOutput, Fill, Relocation, Special, Unmatched, Unwritten
    from linkage.table import LinkTable
    from linkage.usage import Input, Interface, Output, interface_of

_LAZY = {
    "DeadOutput": "linkage.rows",
    "Fill": "linkage.rows",
    "Input": "linkage.usage",
    "Interface": "linkage.usage",
    "LinkCounters": "linkage.linker",
    "LinkOptions": "linkage.options",
    "LinkState": "linkage.options",
    "LinkTable": "linkage.table",
    "LinkedCopy": "linkage.linker",
    "Linker": "linkage.linker",
    "Output": "linkage.usage",
    "OutputLinker": "linkage.linker",
    "PROFILES": "linkage.profiles",
    "PairCache": "linkage.chain",
    "Relocation": "linkage.rows",
    "SemanticInterner": "linkage.interner",
    "Special": "linkage.rows",
    "Unmatched": "linkage.rows",
    "Unwritten": "linkage.rows",
    "interface_of": "linkage.usage",
    "link_chain": "linkage.chain",
    "link_stages": "linkage.chain",
    "linked_program": "linkage.linker",
}

__all__ = [
    "PROFILES",
    "DeadOutput",
    "Fill",
    "Input",
    "Interface",
    "LinkCounters",
    "LinkOptions",
    "LinkState",
    "LinkTable",
    "LinkedCopy",
    "Linker",
    "Output",
    "OutputLinker",
    "PairCache",
    "Relocation",
    "SemanticInterner",
    "Special",
    "Unmatched",
    "Unwritten",
    "interface_of",
    "link",
    "link_chain",
    "link_stages",
    "linked_program",
]


def __getattr__(name: str) -> Any:
    home = _LAZY.get(name)
    if home is None:
        raise AttributeError(f"module 'linkage' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
