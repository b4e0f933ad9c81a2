"""Mesa's binary token streams: `encoder.encode` makes 32-bit words from a program, `decoder.decode` reads them again.

The words are those of Mesa 18.1's p_shader_tokens.h. Anything that tokens cannot represent is rejected with a code, never dropped.

May import `tgsi.language.program` and all below it; never text. It runs once a program, and once a link where a linker patches words.
Read next: `encoder.encode`, then `linkage.relocate`, which lists the fields of tokens that a link patches.
"""
