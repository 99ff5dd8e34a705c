"""The registry of action types: its files, and the changes that an organisation makes at run time."""
