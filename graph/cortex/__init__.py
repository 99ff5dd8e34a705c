"""The frontal cortex: goals and their lineage, pending actions."""
