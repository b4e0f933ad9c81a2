"""Generated code, once a batch: vertices become binned triangles."""
