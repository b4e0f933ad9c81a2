"""Optimising passes: shorter programs that compute the same bits.

Constants, copies, common subexpressions, branches, dead and unreachable code, temporaries, immediates. `evaluate` computes constants as
the interpreter does; `forward` is the walk that several passes share.

May import `passes.edit`, `base`, `analysis` and `validate`; never `passes.lower`. It runs once a program.
Read next: `dead` (the smallest), then `passes.registry.DEFAULT` for the order in which they run.
"""
