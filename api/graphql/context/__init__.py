"""GraphQL types and fields of assembled contexts and receipts."""
