"""Compilation of LLVM text to running code, linking, the cache on disk, objects for other machines.

`engine.compile_module` compiles and links; `object_cache` keeps object code by a digest of everything that it depends on (`sources` lists
the generators); `kernel_cache` keeps compiled kernels in memory by key; `image` and `linking` load an object without LLVM. LLVM itself,
which takes 0.1 s to load, is used in `codegen`, `jit` and `artifact` only: a process whose code is in the cache does not load it.

Only this package and `backends.llvm.targets` import llvmlite. May import those and `builder`. It runs once a kernel, or not at all if the
cache has the code. Read next: `engine`.
"""
