"""Evaluation: which observations are promoted to goals, kept, or archived."""
