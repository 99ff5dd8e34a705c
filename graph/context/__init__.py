"""Assembles what an agent should have in mind for a prompt, within a token budget, with a receipt."""
