"""Analyses, validation and transformations of programs.

From the bottom: `validate` (rules), `analysis` (facts that many modules share), `base` (the class of a pass), `edit` (tools to make a
changed program), `lower` and `optimise` (the passes, which do not import each other), `registry` (every pass by name) and `pipeline`
(passes one after another, each result validated). import-linter enforces this order.

May import `tgsi.language` alone: no numpy, no llvmlite, no device. It runs once a program.
Read next: `base`, one small pass such as `optimise.dead`, then `pipeline`.
"""
