"""Opcodes lowered to other opcodes: a table of expansions, and the code of the passes that use it.

May import `passes.lower.operands`, `passes.edit` and the floors below. Read next: `table`.
"""
