"""Tessellation: the control shader, the fixed tessellator and the evaluation shader, one patch after another in generated code.

For each draw, `patches` checks the draw and creates the stage from the bound shaders. For each chunk of patches, `stage` runs the control
shader, then computes points and primitives of each patch, then runs the evaluation shader. `levels`, `spacing`, `domains` and `connect`
write the tessellator as generated
code, in the order of the OpenGL 4.6 core profile, section 11.2.2: clamp and round levels, place points on edges, fill the domain, connect
rows. `kernel` combines them; `rows` copies inputs to patches, `control` and `evaluation` are the two shaders, and `layout` places their
rows.

May import: as backends/geometry. Next: docs/execution.md, "Tessellation".
"""
