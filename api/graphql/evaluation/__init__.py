"""GraphQL types and fields of evaluation."""
