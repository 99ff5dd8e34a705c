"""Goals: their evidence, their status and progress, and their lineage (parents and predecessors)."""
