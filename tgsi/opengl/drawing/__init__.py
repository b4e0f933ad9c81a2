"""From the state of OpenGL to Gallium's: one function for each group, called before a draw for the groups that changed."""
