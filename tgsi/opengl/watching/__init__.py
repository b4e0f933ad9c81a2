"""Watched contexts: each command that can change a picture is recorded with the caller's line, so that `explain` can name it.

This package is imported only if a screen keeps a history or validates; contexts of such a screen run every command in Python.
"""
