"""GLSL and HLSL to programs, through glslang: `compiling.compile_request` (docs/glsl.md).

The module of requests alone is cheap to import; everything else is imported when a text is compiled.
"""
