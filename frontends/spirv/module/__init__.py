"""Modules as data: grammar, decoder, types, constants, functions. Nothing here depends on TGSI."""
