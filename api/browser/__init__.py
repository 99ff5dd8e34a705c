"""What Neo4j Browser gets from this service: links into it, queries to start with, a guide and a style."""
