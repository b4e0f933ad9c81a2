"""Khronos' registry of OpenGL: every command with its parameters, every enumerant with its value."""
