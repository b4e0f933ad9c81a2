"""Khronos' OpenGL registry: every command with its parameters, every enumerant with its value."""
