"""Facts about a program that passes and engines share: the region tree, values, uses, liveness, accesses, effects, operands.

Each module answers one question and changes no program. `regions` states the rules of control flow; both engines follow it.

May import `tgsi.language` and `passes.validate`. It runs once a program.
Read next: `regions`, then `access`.
"""
