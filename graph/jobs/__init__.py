"""Periodic jobs, each run by one process at a time."""
