"""Python, once a draw: bound state becomes a Draw record."""
