"""States that queries return: a table of their values, and limits."""
