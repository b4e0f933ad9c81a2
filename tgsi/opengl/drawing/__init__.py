"""Translation of OpenGL's state to Gallium's: one function per group of state, called before a draw if the group changed."""
