"""Fixed-function state as instructions: each pass does the work of one state, which can then stay off.

Alpha test, stipple, smooth points and lines, point sprites, clip planes and distances, window positions, edge flags, sample shading.
`additions` is shared by all: new registers and constants, code at the beginning and at the ends of a program.

May import `passes.lower.insert`, `passes.base` and `analysis`. It runs once a program and variant.
Read next: `alpha`.
"""
