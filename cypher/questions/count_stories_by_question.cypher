// Counts the stories that answer some questions and have one of the statuses; one row.
// mode: read
// scope: caller
// params: question_ids, readable, statuses, grantees
// returns: one
CYPHER 25
UNWIND $question_ids AS question_id
MATCH (q:Question {uid: question_id})<-[:ANSWERS]-(s:Story)
WHERE s.status IN $statuses
  // The questions about a shared goal, and the stories that answer them, are shared with the goal.
  AND (s.scope_id IN $readable OR s.scope_id = q.scope_id) AND (q.scope_id IN $readable
    // part: shared_question(q) if $grantees
    OR EXISTS {
      MATCH (q)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
        AND g.scope_id = q.scope_id
    }
    // end part
  )
RETURN count(s) AS total
