"""State and conventions that a program is written for, as GLSL and as SPIR-V."""
