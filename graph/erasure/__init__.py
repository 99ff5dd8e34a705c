"""Erasure of what is known about a person, for good."""
