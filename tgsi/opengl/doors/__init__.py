"""Doors: the ways in which programs find OpenGL. One module each."""
