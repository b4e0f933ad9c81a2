"""Commands: the record of everything that is bound, by number, and the records of the calls that draw with it.

From the bottom: `numbers` (values to numbers and back), `bound_record` (the record that Python and generated code share), `client` and
`reader` (tables of a client's objects). A device that carries out commands in generated code, as `backends.software.commands` does, reads
the same records.

May import `backends.pipe` and `tgsi.language`. Read next: `bound_record`.
"""
