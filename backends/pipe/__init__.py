"""Gallium's vocabulary: enumerations, state templates, and the checks of what callers give."""
