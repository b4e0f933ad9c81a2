"""Linkage: from which output of one stage each input of the next one comes. Semantics decide, register numbers mean nothing."""

from linkage.chain import PairCache, link_chain, link_stages
from linkage.findings import findings
from linkage.interner import SemanticInterner
from linkage.linker import LinkCounters, LinkedCopy, Linker, linked_program
from linkage.match import link
from linkage.options import LinkOptions, LinkState
from linkage.profiles import PROFILES
from linkage.table import DeadOutput, Fill, LinkTable, Relocation, Special, Unmatched
from linkage.usage import Input, Interface, Output, interface_of

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
    "PairCache",
    "Relocation",
    "SemanticInterner",
    "Special",
    "Unmatched",
    "findings",
    "interface_of",
    "link",
    "link_chain",
    "link_stages",
    "linked_program",
]
