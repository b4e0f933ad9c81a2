"""The screen and what it answers."""
