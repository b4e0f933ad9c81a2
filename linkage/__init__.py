"""Linkage: from which output of one stage each input of the next one comes. Semantics decide, register numbers mean nothing."""

from linkage.chain import PairCache, link_chain, link_stages
from linkage.interner import SemanticInterner
from linkage.link import link
from linkage.linker import LinkCounters, LinkedCopy, Linker, linked_program
from linkage.options import LinkOptions, LinkState
from linkage.profiles import PROFILES
from linkage.rows import DeadOutput, Fill, Relocation, Special, Unmatched
from linkage.table import LinkTable
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
    "interface_of",
    "link",
    "link_chain",
    "link_stages",
    "linked_program",
]
