"""GraphQL types and fields of the search for memories."""
