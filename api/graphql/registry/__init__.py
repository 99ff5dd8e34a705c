"""GraphQL types and fields of the registry: action types and an organisation's own definitions."""
