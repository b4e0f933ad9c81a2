"""Shaders in other languages to programs: SPIR-V, and GLSL and HLSL through SPIR-V. `programs` accepts texts, files and modules."""
