"""Linkage: from which output of one stage each input of the next one comes. Semantics decide, register numbers mean nothing."""

from linkage.findings import findings
from linkage.match import PROFILES, link
from linkage.table import DeadOutput, Fill, LinkTable, Relocation, Special, Unmatched
from linkage.usage import Input, Interface, Output, interface_of

__all__ = [
    "PROFILES",
    "DeadOutput",
    "Fill",
    "Input",
    "Interface",
    "LinkTable",
    "Output",
    "Relocation",
    "Special",
    "Unmatched",
    "findings",
    "interface_of",
    "link",
]
