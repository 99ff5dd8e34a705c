"""Periodic work, run by one process at a time."""
