"""The tessellator: levels of a patch to points of its domain and the primitives between them, in generated code."""
