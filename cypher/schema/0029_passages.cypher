// Passages of long memories are memories to the indexes; no schema of their own. A step in Python divides what was stored before.
