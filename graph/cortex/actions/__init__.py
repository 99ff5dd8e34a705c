"""Pending actions: concrete next steps, each of an action type that the registry defines."""
