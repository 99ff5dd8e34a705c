"""GraphQL types and fields of turns and their trace."""
