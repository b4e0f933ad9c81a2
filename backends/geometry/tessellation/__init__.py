"""Tessellation: the control shader, the fixed tessellator and the evaluation shader, one patch after another in generated code.

`patches`, once a draw: it checks the draw and makes the stage from the bound shaders. `stage`, once a chunk of patches: control, then for
each patch its points and primitives, then evaluation. `levels`, `spacing`, `domains` and `connect` write the tessellator as generated
code, in the order of the OpenGL 4.6 core profile, section 11.2.2: clamp and round levels, place points on edges, fill the domain, connect
rows. `kernel` puts them together; `rows` copies inputs to patches, `control` and `evaluation` are the two shaders, and `layout` gives
the places of their rows.

May import: as backends/geometry. Next: docs/execution.md, "Tessellation".
"""
