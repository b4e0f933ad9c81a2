"""Benchmarks: ``python -m benchmarks`` measures the renderer against Mesa's llvmpipe, workload by workload, in one run.

`catalog` lists the workloads; `ours` and `peer` implement them on both sides; `measure` takes turns between the processes of
`processes` and `serve`. Further commands measure parts: `accuracy`, `compile`, `grids`, `language`, `links`, `memory` and
`soak`.
"""
