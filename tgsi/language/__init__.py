"""The language: programs as immutable data, their text, their tokens, and messages about them.

The ground floor of the house. It imports nothing of the packages above and neither numpy nor llvmlite. It runs once a program.

From the bottom: `facts` (tables), `source` and `messages`, `diagnostics` and `codes`, `ir` (the nodes), `literals`, `channels`, `printer`,
`info`, `program` (the class that users see), `tokens`, and on top `text`, `builder` and `listing`, which do not import each other.
import-linter checks this order.

Read next: `ir` for the data, `facts.opcodes` for the opcodes, `text.parser` for the way from text to a `Program`.
"""
