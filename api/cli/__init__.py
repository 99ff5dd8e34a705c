"""The command line `prefrontal`."""
