"""Mesa's binary tokens, both ways."""
