"""The commands. The top floor: may import everything."""
