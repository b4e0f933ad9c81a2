"""Processor load: detection of disturbed rounds, workloads on a busy machine, and scaling with the number of processors."""
