"""Text processing: token counting, summaries, word stems, and safe full-text queries from client text."""
