"""Workloads that sample arrays, cube maps, depths for comparison, and long footprints."""
