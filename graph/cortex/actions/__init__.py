"""Pending actions: concrete next steps, each of a type that the registry describes."""
