"""Languages that people write shaders in, as programs of TGSI: SPIR-V."""
