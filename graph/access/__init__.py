"""Who asks, and where they may read and write: organisations, actors, spaces, grants."""
