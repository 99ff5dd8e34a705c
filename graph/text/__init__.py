"""Models and tokenizers behind small protocols, and foreign text made safe for search and prompts."""
