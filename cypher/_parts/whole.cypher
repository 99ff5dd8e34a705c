// The memory that was found, itself or by one of its passages, once with its best score, and the score of its own text, if that was found.
// variables: m, p, score, itself
// Most are whole: of those no edge is looked at.
WITH CASE WHEN p:Passage THEN head([(p)-[:PART_OF]->(long:Remembered) | long]) ELSE p END AS m,
     max(score) AS score, max(CASE WHEN p:Passage THEN null ELSE score END) AS itself
