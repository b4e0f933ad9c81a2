"""Targets of generated code: their names in LLVM, and the features that change generated text.

`architectures` has a row for each architecture, `machines` turns the name of a target into features and a cache key, `host` describes this
machine, `llvm_machines` creates LLVM's target machines. Only `llvm_machines` and `host.detect` load LLVM.
"""
