"""GraphQL types and fields of pending actions and their types."""
