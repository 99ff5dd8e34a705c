"""The vectors of what is searched: made before the transaction that stores them, or later by a job."""
