"""From a module of text to running code, and the cache on disk."""
