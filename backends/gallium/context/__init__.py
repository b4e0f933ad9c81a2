"""The context, a module for each part of pipe_context."""
