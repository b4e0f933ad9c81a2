"""Numbers and pixels in generated code."""
