"""Builds the services from the settings: the one place where the parts are connected."""
