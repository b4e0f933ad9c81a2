"""HLSL as Direct3D's compilers read it, where glslang says something else: texts before it, modules after it."""
