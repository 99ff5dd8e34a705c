"""Support for Neo4j Browser: links into it, example queries, a guide and a style sheet."""
