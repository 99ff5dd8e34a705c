"""Entities: people, places and things that memories mention by name."""
