"""The staged builder: running Python writes LLVM text."""
