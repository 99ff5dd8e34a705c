"""The agent's frontal cortex: goals and their lineage, pending actions, questions and stories."""
