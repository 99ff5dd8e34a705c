"""Outcomes: how turns ended."""
