"""Gallium's interface: screens, contexts, resources and state."""
