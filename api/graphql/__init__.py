"""The GraphQL API: thin types over records, resolvers that call services."""
