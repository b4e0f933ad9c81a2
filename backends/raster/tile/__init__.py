"""Generated code, once a tile: coverage, tests, shading, blending."""
