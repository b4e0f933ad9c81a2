"""Contexts that are watched: with history each command that can change a picture is written down with the caller's line, and `explain`
names it. Nothing of this is imported unless a screen has history or validates; its contexts run every command in Python.
"""
