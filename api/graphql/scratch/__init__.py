"""GraphQL types and fields of observations."""
