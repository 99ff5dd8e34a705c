"""GraphQL types and fields of history: versions, states at a time, the audit log, and reverts."""
