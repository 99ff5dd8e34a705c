"""Lessons: what outcomes teach, how sure each lesson is, and what contradicts it."""
