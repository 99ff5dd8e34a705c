"""Guiding questions, and the stories that answer them."""
