"""GraphQL types and fields of spaces and grants."""
