"""Texture sampling as generated code."""
