"""Opcodes written with other ones: a table of expansions, and the work of the passes that use it.

May import `passes.lower.operands`, `passes.edit` and the floors below. Read next: `table`.
"""
