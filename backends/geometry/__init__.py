"""What comes between vertex fetch and the rasterizer when a draw has more stages than two: shaded vertices in memory."""
