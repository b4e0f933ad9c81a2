"""Pixels: formats of textures, formats of the caller's memory, and the way between them."""
