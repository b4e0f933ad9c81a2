"""Operands that a device lacks: registers that an address chooses, destinations of several channels.

May import `passes.lower.expansion`, `passes.edit` and the floors below. Read next: `indirect`.
"""
