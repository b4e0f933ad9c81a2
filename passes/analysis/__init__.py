"""Facts about a program that passes and engines share: the region tree, values, uses, liveness, accesses, effects, operands.

Each module computes one kind of fact and leaves the program unchanged. `regions` states the rules of control flow; both engines follow it.

May import `tgsi.language` and `passes.validate`. Results are cached with the program.
Read next: `regions`, then `access`.
"""
