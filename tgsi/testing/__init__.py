"""Exact screenshot tests: pytest's plugin, stored pictures, their comparison, and the report of a run (docs/screenshots.md)."""
