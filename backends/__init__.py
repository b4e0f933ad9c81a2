"""The renderer and its compiler, as floors: each package says in its docstring what lives there."""
