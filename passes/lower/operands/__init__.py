"""Operands that a device lacks: registers that an address chooses, destinations of several channels, coordinates beyond a texture.

May import `passes.edit`, `passes.lower.arithmetic` and what lies below these. Read next: `indirect`.
"""
