"""Pixels: formats of textures, formats of the caller's memory, and conversions between them."""
