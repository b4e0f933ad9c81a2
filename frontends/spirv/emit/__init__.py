"""Translation of SPIR-V instructions to TGSI."""
