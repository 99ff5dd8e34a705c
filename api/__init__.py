"""The surfaces of Prefrontal: GraphQL over HTTP, pages, and the command line."""
