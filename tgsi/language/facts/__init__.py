"""The tables of the language: each fact in one row of one table, and nothing that computes.

`opcodes`, `semantics`, `properties`, `enums` (files, stages, targets), `formats` (numbers of pixel formats in tokens), `limits`,
`brackets` (registers that have one value for each vertex) and `numbers` (unused numbers of token fields, and their owners).

May import only the `record` decorator of `tgsi.language`. The tables are made when a module is imported. Read next: `opcodes`; a new
opcode begins with a row there.
"""
