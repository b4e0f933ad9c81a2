"""Workloads of compute programs: grids that reach buffers, images, shared memory and atomics."""
