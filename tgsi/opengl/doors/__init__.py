"""Doors: one module for each way in which programs load OpenGL."""
