"""GraphQL types and fields of lessons."""
