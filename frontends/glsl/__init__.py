"""GLSL and HLSL to programs, through glslang: `compiling.compile_request` (docs/glsl.md).

glslang cannot read most texts as they were written, and must not open files. So `preprocess` expands macros and includes, `upgrade`
replaces old words by those of a version that glslang reads (tables: `words`, `extensions`, `legacy`), and `prepare` writes one token to a
line. `compiler` runs glslang in a `sandbox` with limits of time, memory and output, `log` maps its messages back to the original text, and
`cache` keeps the SPIR-V on disk. `by_name` gives inputs and outputs without a location a semantic that depends on their name only, so
programs that were compiled apart link as GLSL requires.

Only the module of requests is cheap to import; everything else is imported when a text is compiled.
"""
