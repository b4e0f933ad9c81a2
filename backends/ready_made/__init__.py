"""The kernels that come ready-made (`backends.llvm.engine.ready_made`): which ones, and their compilation.

`requests.txt` lists them for each level. It is recorded from frames by `python -m tests.ready_made`, never written by hand. `makers`
requests a kernel of the list from the code that draws request it from, `build` compiles it for any level on any machine.

    python -m backends.ready_made                   # says for each level whether there are kernels, and whether they are used
    python -m backends.ready_made build [LEVEL ..]  # compiles them, for this machine's level by default; --missing: unless they are current
"""
