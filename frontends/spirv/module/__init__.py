"""Modules as data: grammar, decoder, types, constants, functions. Nothing here knows TGSI."""
