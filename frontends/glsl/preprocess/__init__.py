"""The preprocessor of GLSL and HLSL: texts, macros and included files to the tokens of live code, each with its place.

Everything that a text can name is decided here: glslang gets tokens and directives that we wrote, and opens no file.
"""
