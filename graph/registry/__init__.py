"""The registry at run time: what an organisation changes of its action types without a file."""
