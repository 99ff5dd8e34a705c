"""Whole organisations as files: exported line by line, and imported into another database."""
