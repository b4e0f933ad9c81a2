"""Emulator of the staging memory: runs lowered programs over the bytes of every workgroup, and reads primitives out of MAP and ATTR.

It imports no engine: its caller passes a function with the arguments and results of `tgsi.run`.
"""
