"""GraphQL types of summaries."""
