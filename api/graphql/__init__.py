"""The GraphQL API: thin types made from records, and resolvers that call the services."""
