"""Reading of a client's commands in generated code: words of the virgl protocol become bindings and draws without Python.

`tables` searches the tables filled by Python; `bindings` and `draws` have a function for each kind of command; `read` carries out one
command after another, up to the first that needs Python. The records are those of `backends.device.commands.client`.

May import `backends.software.commands` and the floors below. It runs once a message. Read next: `read`.
"""
