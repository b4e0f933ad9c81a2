"""Errors of transcendental functions and of conversions of halves: python -m benchmarks.accuracy."""
