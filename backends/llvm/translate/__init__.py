"""One TGSI program as generated code: control flow under masks, operands, fuel, barriers.

`translator.translate` walks the region tree with `flow`, fetches sources with `operands`, and calls an emitter of `emit` for each
instruction. `interface` says what surrounds a program: inputs, memory, textures. `rows` and `arrays` hold files of registers that
live in memory, `barriers` splits a kernel where it must wait, `fuel` ends endless loops.

May import `backends.llvm.program`, `sampling`, `library`, `builder` and `targets`; never kernels or the engine. It runs once a kernel.
Read next: `translator`, then `emit`.
"""
