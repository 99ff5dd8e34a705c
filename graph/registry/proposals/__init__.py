"""Proposals to change the registry: submitted, reviewed, exported, and merged once they are loaded."""
