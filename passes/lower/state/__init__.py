"""Fixed-function state as instructions: each pass replaces one state, which then stays off.

Alpha test, stipple, smooth points and lines, point sprites, clip planes and distances, window positions, edge flags, sample shading.
`additions` is shared by all: it adds registers, constants, and code at the beginning and the ends of a program.

May import `passes.lower.insert`, `passes.base` and `analysis`. It runs once a program and variant.
Read next: `alpha`.
"""
