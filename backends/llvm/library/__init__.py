"""Functions in generated code: transcendental functions, fused multiply-add, bytes, and pixels of every format.

Both engines must give the same bits, so `math` follows the same algorithms as the interpreter, step by step.

May import `backends.llvm.engine`, `builder` and `targets`, and `backends.formats`; never a program. It runs once a kernel.
Read next: `math`, then `pixels`.
"""
