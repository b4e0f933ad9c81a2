"""Passes that make programs shorter, and what they share."""
