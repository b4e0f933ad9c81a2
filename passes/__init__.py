"""Analyses, validation and transformations of programs."""
