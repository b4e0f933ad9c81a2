"""Processors: rounds that lost one, workloads on processors that other processes keep busy, and how frames scale with their number."""
