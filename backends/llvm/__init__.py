"""Code generation: a staged vector builder over LLVM, and the TGSI translator on top of it.

Only this package imports llvmlite. `builder` knows nothing about graphics; `translate` knows nothing about LLVM's text.
"""
