"""What generated code and its callers share: records and static keys."""
