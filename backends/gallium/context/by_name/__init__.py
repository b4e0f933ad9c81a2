"""Textures and vertices by the names of a program's interface. Loaded when somebody binds by name."""
