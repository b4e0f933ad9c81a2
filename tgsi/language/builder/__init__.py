"""The program builder: programs written in Python, with one typed method for each opcode.

`program_builder.ProgramBuilder` declares registers, records instructions and ends with `build`. `registers` has the operands with
their swizzles and modifiers, `pool` the immediates, `opcode_methods` makes the methods from the table of opcodes.

May import `tgsi.language.ir`, `program` and `facts`; never text or tokens. It runs once a program.
Read next: the docstring of `program_builder`, which has an example.
"""
