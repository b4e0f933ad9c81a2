"""Compute: grids of blocks of threads, on native threads."""
