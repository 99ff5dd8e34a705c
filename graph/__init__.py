"""Prefrontal's core: rules, records, stores and services over one Neo4j graph."""

__version__ = "0.1.0"
