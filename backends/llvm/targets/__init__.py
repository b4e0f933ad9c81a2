"""Machines that code is made for: their names in LLVM, and the features that generated text may ask for.

`architectures` has a row for each architecture, `machines` turns the name of a target into features, LLVM's target machine and a cache key.
Imports llvmlite and no other package of this repository.
"""
