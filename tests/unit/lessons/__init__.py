"""Rules of lessons."""
