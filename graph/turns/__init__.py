"""Turns: one step of an agent each, from context to commit. A turn is created when a client names it."""
