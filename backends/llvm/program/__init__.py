"""Analyses of a program that precede code generation.

`plan.plan_of` collects their results, once for each program: the tree with its leaves (`tree`), the channels that an instruction reads and
writes (`access`), values that are the same in all lanes (`divergence`), ports of the CPU (`port_pressure`).

May import `passes` and `tgsi.language`; writes no code. Read next: `plan`.
"""
