"""What `tgsi.run` takes and gives, for both engines."""
