"""One TGSI program as generated code."""
