"""Programs written as GLSL that people read: `emit.write_glsl` is the entry.

`variables` finds the type of each register, `stages` and `resources` declare inputs, outputs and resources, `table` has an expression for
every opcode, and `emit` walks the tree of control flow. A program that GLSL has no words for is refused (B080).
"""
