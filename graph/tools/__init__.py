"""Tools: what an agent called, what came back, and the execution log."""
