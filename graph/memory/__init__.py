"""Permanent memories of an agent: mandates that it must follow, and capabilities that it has."""
