"""Analyses, validation and transformations: programs to facts, findings and other programs.

From the bottom: `validate` (rules), `analysis` (facts that many share), `base` (the class of a pass), `edit` (making a changed
program), `lower` and `optimise` (the passes, which do not know each other), `registry` (every pass by name) and `pipeline` (passes
one after the other, each result validated). import-linter holds this order.

May import `tgsi.language` alone: no numpy, no llvmlite, no device. It runs once a program.
Read next: `base`, one small pass such as `optimise.dead`, then `pipeline`.
"""
