"""Readers of files to import as memories: a text in, drafts or problems with line numbers out."""
