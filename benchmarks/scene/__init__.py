"""Workloads that are frames of whole scenes: shadows by stencil, and a landscape with textures, a shadow map and smoke."""
