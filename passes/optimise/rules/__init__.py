"""Algebraic rules: a small window of instructions, and the one instruction that gives the same bits for all words.

`rule` reads a row, `terms` its two sides; `integers`, `choices` and `floats` are the rows, `table` has them all. `kinds` says what is
known of results, `windows` chooses rules, `matcher` finds their windows in programs, `sources` does so for single sources.
tests/proof proves the rows; docs/passes.md lists them.

May import `passes.form` and what lies below, and `passes.optimise.evaluate`. It runs once a program.
Read next: `rule`, some rows of `integers`, then `matcher`.
"""
