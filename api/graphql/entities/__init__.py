"""GraphQL types and fields of entities."""
