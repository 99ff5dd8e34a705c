"""Erasure in the GraphQL schema."""
