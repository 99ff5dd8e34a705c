// Makes observations evidence of a goal, which is then about their topics; one row with the number of links created.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
CALL (g) {
  // The topics of evidence stay when the evidence is unlinked, so there is a limit.
  WITH g, COLLECT { MATCH (g)-[on:ON]->(known:Topic) WHERE on.evidence RETURN known.key } AS known
  WITH g, known, CASE WHEN size(known) < $most_topics THEN $most_topics - size(known) ELSE 0 END AS free
  UNWIND [topic IN $topics WHERE NOT topic.key IN known][..free] AS row
  // part: topic(t, row)
  MERGE (g)-[on:ON]->(t)
    ON CREATE SET on.scope_id = g.scope_id, on.topic_uid = t.uid, on.from_uid = g.uid, on.own = false
  SET on.evidence = true
}
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.observation_id})
WHERE o.scope_id IN $readable
CREATE (o)-[link:EVIDENCES {confidence: row.confidence, version: o.version, weight: 1.0, note: row.note, position: row.position, gain: row.gain, withheld: row.withheld,
                            turn_key: $turn_key, since: $now, by: $actor_id}]->(g)
RETURN count(link) AS linked
