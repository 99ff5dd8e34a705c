"""GraphQL types and fields of outcomes."""
