"""Optimising passes: shorter programs that compute the same bits.

Registers, constants, copies, common subexpressions, moves, branches, dead and unreachable code, immediates. Most passes work on one form
(`passes.form`), which they share; `evaluate` computes constants as the interpreter does; `rules` is the
table of algebraic rules.

May import `passes.form`, `edit`, `base`, `analysis` and `validate`; never `passes.lower`. It runs once a program.
Read next: `dead` (the smallest), then `passes.registry.DEFAULT` for the order in which they run.
"""
