"""Instructions of SPIR-V as those of TGSI."""
