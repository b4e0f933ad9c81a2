"""TGSI text: from text to programs with a caret under each mistake, and Mesa's dump.

`parser.parse` is the entry. `grammar/tgsi.lark` is the only definition of the syntax. It has no recursive rule, so `syntax` and `regular`
can derive regular expressions from it, one for each statement; these read valid text. Statements that they reject go to Lark, whose errors
`explain` turns into messages with a place. Both readers hand the same children to `reader`, `operands` and `attributes`, which make the
nodes, and a property test compares them.

`legacy` reads texts of 2007 to 2017 with `old_opcodes`, `old_forms` and `old_registers`; `logs` finds programs in logs. Both keep every
character at its place, so carets point into the original text. `dumper` writes Mesa 18.1's own text; the exact text is
`tgsi.language.printer`.

May import everything of `tgsi.language` but `builder` and `listing`. It runs once a program.
Read next: `parser`, then `reader`.
"""
