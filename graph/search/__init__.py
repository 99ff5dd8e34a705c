"""Search: the memories of the caller's spaces that answer a question, by words, meaning and links."""
