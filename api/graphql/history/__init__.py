"""GraphQL types and fields of history: versions, what was true at a time, the audit log, and the way back."""
