"""Resources and how they are seen."""
