"""Ours against llvmpipe, workload by workload, in one run: `python -m benchmarks`."""
