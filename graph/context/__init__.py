"""Contexts: what an agent needs to know for a prompt, within a token budget, with a receipt."""
