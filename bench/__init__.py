"""Measures the use cases as multiples of a Bolt `RETURN 1` on a real Neo4j: `python -m bench --help`."""
