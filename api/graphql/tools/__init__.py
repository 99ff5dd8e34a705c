"""GraphQL types and fields of tool invocations."""
