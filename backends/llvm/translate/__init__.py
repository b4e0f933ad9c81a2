"""One TGSI program as generated code: control flow under masks, operands, fuel, barriers.

`translator.translate` walks the region tree with `flow`, fetches sources with `operands`, and calls an emitter of `emit` for each
instruction. `interface` declares the environment of a program: inputs, memory, textures. `rows` and `arrays` have register files in memory,
and `fuel` ends endless loops. `barriers` turns a program with barriers into a state machine: a native loop runs the vectors of a group
round by round until all have ended, so a barrier may be in any loop or branch, and no stack is switched.

May import `backends.llvm.program`, `sampling`, `library`, `builder` and `targets`; never kernels or the engine. Read next: `translator`,
then `emit`.
"""
