"""Links from the API into Neo4j Browser."""
