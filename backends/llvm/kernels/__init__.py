"""Whole kernels around one translated program."""
