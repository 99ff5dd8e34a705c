"""Registry proposals over GraphQL."""
