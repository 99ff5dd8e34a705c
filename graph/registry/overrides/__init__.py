"""The action types that an organisation registered or deprecated for itself."""
