// Goals, questions and stories are found as memories are. A step in Python gives those of before what they are found by.
CREATE FULLTEXT INDEX plan_text IF NOT EXISTS FOR (n:Goal|Question|Story) ON EACH [n.content, n.terms, n.searchable_in, n.uid]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
// Without a number of dimensions, as those of memories.
CYPHER 25 CREATE VECTOR INDEX plan_vector_a IF NOT EXISTS FOR (n:Goal|Question|Story) ON n.embedding_a
WITH [n.searchable_in, n.kind]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CYPHER 25 CREATE VECTOR INDEX plan_vector_b IF NOT EXISTS FOR (n:Goal|Question|Story) ON n.embedding_b
WITH [n.searchable_in, n.kind]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
