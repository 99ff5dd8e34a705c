"""What a turn begins with and what it leaves behind: the cortex at its start and at its end."""
