"""Decoders of compressed blocks: numpy for the codings in which a library would lose bits, a library for all others.

`decode` has the table of all codings. A decoder takes blocks of shape (rows, columns, bytes of a block) and gives the texels of the
whole rectangle, (rows * block height, columns * block width, channels). Bytes follow from bytes alone, on every machine.

May import: backends.formats.format. Next: backends/gallium/resource/resource.py, whose `decoded` keeps the texels of compressed textures.
"""
