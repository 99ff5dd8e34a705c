"""Checks goals and plans against the mandates that bind their caller."""
