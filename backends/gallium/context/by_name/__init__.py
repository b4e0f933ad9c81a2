"""Textures and vertices by the names of a program's interface. Loaded on first use."""
