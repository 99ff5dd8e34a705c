// A look into a vector index compares quantized vectors, a bit for each dimension, and ranks the best by their whole vectors: their
// scores are exact. Without it each look reads the whole vectors of very many memories (docs/bench.md has what that takes).
DROP INDEX memory_vector_a IF EXISTS;
CYPHER 25 CREATE VECTOR INDEX memory_vector_a IF NOT EXISTS FOR (n:Memory) ON n.embedding_a
WITH [n.searchable_in, n.kind, n.expires_at]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: true}};
DROP INDEX memory_vector_b IF EXISTS;
CYPHER 25 CREATE VECTOR INDEX memory_vector_b IF NOT EXISTS FOR (n:Memory) ON n.embedding_b
WITH [n.searchable_in, n.kind, n.expires_at]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: true}};
DROP INDEX plan_vector_a IF EXISTS;
CYPHER 25 CREATE VECTOR INDEX plan_vector_a IF NOT EXISTS FOR (n:Goal|Question|Story) ON n.embedding_a
WITH [n.searchable_in, n.kind]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: true}};
DROP INDEX plan_vector_b IF EXISTS;
CYPHER 25 CREATE VECTOR INDEX plan_vector_b IF NOT EXISTS FOR (n:Goal|Question|Story) ON n.embedding_b
WITH [n.searchable_in, n.kind]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: true}};
