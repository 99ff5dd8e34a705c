"""Files that are fetched on the user's machine: pinned by their SHA-256 sums, no part of this project."""
