"""GraphQL types and fields of goals and lineage."""
