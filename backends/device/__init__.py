"""The interface between Gallium's context and a device: bound state, memory and work, as plain data. No code is generated here.

`interface` has the Protocols of a device (draws, clears, copies, statistics) and of a dispatcher (grids). A context fills a
`bound.DrawState` and a `grid.ComputeBindings` and passes them with every draw and grid; `memory`, `tables` and `residents` describe the
memory that shaders reach. For each draw, `needs` collects the units and slots of a program, `kinds` and `environment` copy bindings into a
`region` and make the keys of compiled variants, `hazards` compares the reads of a draw with the writes of earlier ones. `counters` has a
row for each statistic that queries report. `threads` has the helper threads of draws and grids.

May import: run, abi, pipe, formats, linkage, passes, tgsi.language; neither llvm nor interp. Next: backends/software, which is a device,
and backends/gallium/context, which calls one.
"""
