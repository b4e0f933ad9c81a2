"""Gallium's vocabulary, as in Mesa's src/gallium/include/pipe: names and numbers, no behavior.

`enums` and `flags` have the PIPE_* constants, `state` the state objects (pipe_rasterizer_state and its neighbors) as frozen dataclasses,
`limits` the PIPE_MAX_* of this driver, `checks` turns the arguments of callers (names, numbers, mappings) into them and names the argument
that is wrong.

May import: formats, linkage, passes, tgsi.language. Every floor above uses these names. Next: backends/gallium, which has the calls.
"""
