// The memory that was found, itself or by one of its passages, once with its best score.
// variables: m, p, score
OPTIONAL MATCH (p)-[:PART_OF]->(long:Remembered)
WITH coalesce(long, p) AS m, max(score) AS score
