"""Goals: why they exist (evidence), where they stand (status, progress), what they come from (lineage)."""
