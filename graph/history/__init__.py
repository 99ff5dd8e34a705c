"""History: what was changed, by whom and why; what was true then; and the way back."""
