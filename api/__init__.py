"""The interfaces of Prefrontal: GraphQL over HTTP, web pages, and the command line."""
