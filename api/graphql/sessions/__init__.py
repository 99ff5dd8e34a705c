"""GraphQL types and fields of working-memory sessions."""
