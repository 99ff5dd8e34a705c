"""What the files of the registry said, kept in the graph with versions, so that a restart loses nothing."""
