// How many stories that answer some questions have one of the statuses, one row.
// mode: read
// scope: caller
// params: question_ids, readable, statuses
// returns: one
CYPHER 25
UNWIND $question_ids AS question_id
MATCH (q:Question {uid: question_id})<-[:ANSWERS]-(s:Story)
WHERE q.scope_id IN $readable AND s.scope_id IN $readable AND s.status IN $statuses
RETURN count(s) AS total
