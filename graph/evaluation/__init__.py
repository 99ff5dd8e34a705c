"""Evaluation: which observations become goals, which stay and which are put away."""
