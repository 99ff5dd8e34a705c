"""Questions and stories over GraphQL."""
