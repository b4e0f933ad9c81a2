"""Corrections that give HLSL the meaning of Direct3D's compilers where glslang's differs: of texts before glslang, of modules after it."""
