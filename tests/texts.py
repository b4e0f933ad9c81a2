"""Programs that tests of several parts use."""

VS_POSITION = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n"
"""A vertex program that hands positions on."""
