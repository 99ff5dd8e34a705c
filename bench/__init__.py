"""Benchmarks: use cases timed as multiples of a Bolt `RETURN 1` on a real Neo4j; `python -m bench --help`."""
