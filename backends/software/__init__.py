"""The device made of CPUs."""
