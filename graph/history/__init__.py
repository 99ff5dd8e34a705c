"""History of records: versions, past states, the audit log, and reverting to an earlier version."""
