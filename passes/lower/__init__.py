"""Lowering passes: features that a device or an API lacks are expressed by features that it has.

Opcodes written with others, operands without addresses, state as instructions, rules of numbers, moved registers. `options` has them
all as one typed record. Each keeps what the program computes, or says in its name what it changes.

May import `passes.edit`, `base`, `analysis` and `validate`; never `passes.optimise`. It runs once a program and variant.
Read next: `options`.
"""
