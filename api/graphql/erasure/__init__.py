"""GraphQL types and fields of erasure."""
