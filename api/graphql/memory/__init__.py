"""GraphQL types and fields of mandates and capabilities."""
