"""Lowering passes: they replace features that a device or an API lacks by features that it has.

They lower opcodes to simpler ones, indirect operands to comparisons, fixed-function state to instructions, follow other rules for special
numbers, and renumber registers. `options` has all of them as one typed record. A pass keeps the program's results unless its name says
what it changes.

May import `passes.edit`, `base`, `analysis` and `validate`; never `passes.optimise`. It runs once a program and variant.
Read next: `options`.
"""
