"""Work on many files, again and again: `watch` repeats a command when a file changes that it read."""
