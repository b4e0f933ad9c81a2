"""The preprocessor of GLSL and HLSL: texts, macros and included files to the tokens of live code, each with its place.

glslang receives only the resulting tokens and our directives, and opens no file.
"""
