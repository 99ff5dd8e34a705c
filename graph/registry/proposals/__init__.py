"""Proposals to change the registry: submitted, reviewed, exported, and merged once the change is loaded."""
