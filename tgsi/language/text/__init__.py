"""TGSI text: from text to programs with a caret under each mistake, and Mesa's dump.

`parser.parse` is the entry. The fast reader uses regular expressions derived from the grammar (`syntax`, `regular`); what they refuse
goes to Lark, which explains it (`explain`). `reader`, `operands` and `attributes` make the nodes. `legacy` reads texts of 2007 to 2017;
`old_opcodes`, `old_forms` and `old_registers` are its parts. `logs` finds programs in logs. `dumper` writes Mesa 18.1's own text. The
exact text is `tgsi.language.printer`.

May import everything of `tgsi.language` but `builder` and `listing`. It runs once a program.
Read next: `parser`, then `reader`.
"""
