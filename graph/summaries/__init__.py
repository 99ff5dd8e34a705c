"""Summaries of goals, and summaries that replace the logs of finished actions."""
