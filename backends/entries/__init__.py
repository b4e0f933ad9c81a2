"""Native entries: hot methods of a context as CPython builtins that our own LLVM emits.

An entry takes the plain forms of a call, writes the context's `BoundRecord`, and draws through its `draw_entry`. Every other form goes to
the Python method of the same name, which alone checks arguments and words messages. `python_table` has the parts of CPython that entries
use, `arguments` the common steps, `draws`, `constants`, `bindings` and `buffers` the entries, `install` puts them into a class.

May import `backends.device` and `backends.llvm`. Read next: `install`, then `draws`.
"""
