// Which slot of vectors searches use is one node; what has no vector in it has a label.
CREATE CONSTRAINT embedding_name IF NOT EXISTS FOR (n:Embedding) REQUIRE n.name IS UNIQUE;
CREATE INDEX unembedded_uid IF NOT EXISTS FOR (n:Unembedded) ON (n.uid);
// The terms of a memory are found beside its text. A step in Python gives them to what was stored before.
DROP INDEX memory_text IF EXISTS;
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS FOR (n:Memory) ON EACH [n.content, n.terms, n.searchable_in, n.uid]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
// Without a number of dimensions, so that each slot takes the vectors of any encoder.
CYPHER 25 CREATE VECTOR INDEX memory_vector_a IF NOT EXISTS FOR (n:Memory) ON n.embedding_a
WITH [n.searchable_in, n.kind, n.expires_at]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CYPHER 25 CREATE VECTOR INDEX memory_vector_b IF NOT EXISTS FOR (n:Memory) ON n.embedding_b
WITH [n.searchable_in, n.kind, n.expires_at]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
