"""State of a context: values that commands set, and the groups of Gallium state that they make stale."""
