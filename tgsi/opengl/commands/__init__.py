"""Commands of OpenGL, one module for each chapter."""
