"""Lowering passes: features that a device or an API lacks are expressed by features that it has.

Expansions of opcodes, clamped colors, flat shading, two-sided colors, point coordinates, moved registers. Each keeps what the program
computes, or says in its name what it changes.

May import `passes.edit`, `base`, `analysis` and `validate`; never `passes.optimise`. It runs once a program and variant.
Read next: `expand`.
"""
