"""Access control: organisations, actors, spaces, and grants on spaces."""
