"""The tables of the language: each fact once."""
