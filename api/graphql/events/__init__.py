"""Events in GraphQL."""
