"""Programs from Python: one typed method an opcode."""
