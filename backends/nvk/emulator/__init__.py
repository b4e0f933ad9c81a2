"""Emulator of the staging memory: runs lowered programs over the bytes of every workgroup, and reads primitives out of MAP and ATTR.

It knows no engine: its caller gives a function with the arguments and results of `tgsi.run`.
"""
