"""State of a context: values set by commands, and the groups of Gallium state that depend on them."""
