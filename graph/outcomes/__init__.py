"""Outcomes: what came of a turn, and what its user or its agent said about it."""
