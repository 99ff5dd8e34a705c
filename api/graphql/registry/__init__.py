"""GraphQL types and fields of the registry at run time."""
