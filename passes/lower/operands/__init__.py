"""Lowering of operands that a device lacks: indirect registers, destinations of several channels.

May import `passes.lower.expansion`, `passes.edit` and the floors below. Read next: `indirect`.
"""
