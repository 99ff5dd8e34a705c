// Makes observations evidence of a goal; one row with the number of links created.
// mode: write
// scope: caller
// params: goal_id, rows, topics, most_topics, turn_key, actor_id, readable, writable, now, grantees
// returns: one
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
SET g.topic_keys = (coalesce(g.topic_keys, []) + [topic IN $topics WHERE NOT topic IN coalesce(g.topic_keys, [])])[..$most_topics]
WITH g
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.observation_id})
WHERE o.scope_id IN $readable
CREATE (o)-[link:EVIDENCES {confidence: row.confidence, weight: 1.0, note: row.note, position: row.position, gain: row.gain, withheld: row.withheld,
                            turn_key: $turn_key, since: $now, by: $actor_id}]->(g)
RETURN count(link) AS linked
