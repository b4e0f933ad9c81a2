"""The renderer and its compiler. Each package describes its contents in its docstring."""
