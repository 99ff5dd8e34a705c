"""Turns: the frame of what an agent did, from context to commit. They appear as soon as one is named."""
