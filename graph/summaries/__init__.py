"""Summaries of goals, and of the logs of finished actions, which they stand in for."""
