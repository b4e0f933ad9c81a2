"""What a context hands to a device: bound state, memory, work."""
