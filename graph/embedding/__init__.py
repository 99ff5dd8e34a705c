"""The vectors of memories: made before the transaction that stores them, or later by a job."""
