"""Reading of a client's commands in generated code: words of the virgl protocol become bindings and draws without Python.

`tables` searches the tables that Python has filled; `bindings` and `draws` have a function for each kind of command; `read` goes from
command to command and stops at the first that none of them takes. The records are those of `backends.device.commands.client`.

May import `backends.software.commands` and the floors below. It runs once a message. Read next: `read`.
"""
