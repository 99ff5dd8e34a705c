"""Search: what answers a question among what the caller may read, by words, meaning and links."""
