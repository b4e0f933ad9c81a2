"""``tgsi verify``: generated scenes and programs, whose digests the package holds, drawn and run on this machine."""
