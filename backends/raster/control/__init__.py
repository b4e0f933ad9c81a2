"""Windows, workers and barriers."""
