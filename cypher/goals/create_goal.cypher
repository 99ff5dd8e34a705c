// Stores a goal with its first version, its parent, its predecessors, its evidence and its topics; no row if the space is not writable.
// mode: write, returns: optional, scope: caller
CYPHER 25
WITH $properties AS properties
WHERE properties.scope_id IN $writable
  // only if $grantees
  OR EXISTS {
    MATCH (parent:Goal {uid: $parent_id})
    // part: shares(parent)
      AND parent.scope_id = properties.scope_id AND may.permission IN ['write', 'admin']
  }
  // end only
CREATE (g:Goal)
// Its vector is made by a job; its words find it at once.
SET g = properties, g:Unembedded
CREATE (v:Version)
SET v = $version
CREATE (v)-[:OF]->(g)
WITH g
CALL (g) {
  UNWIND $actors AS uid
  MATCH (actor:Actor {uid: uid})
  CREATE (g)-[:FOR]->(actor)
}
CALL (g) {
  MATCH (parent:Goal {uid: $parent_id})
  // A goal that is shared for reading only gets no children.
  WHERE parent.scope_id IN $readable
    // part: shared_for_writing(parent) if $grantees
  CREATE (g)-[:CHILD_OF {since: $now, by: g.by_uid}]->(parent)
  RETURN collect(parent.status) AS parents
}
CALL (g) {
  UNWIND $derived_from AS uid
  MATCH (source:Goal {uid: uid})
  WHERE source.scope_id IN $readable
    // part: shared(source) if $grantees
  CREATE (g)-[:DERIVED_FROM {since: $now, by: g.by_uid}]->(source)
  RETURN collect(source.uid) AS sources
}
CALL (g) {
  UNWIND $evidence AS row
  MATCH (o:Observation&Memory {uid: row.observation_id})
  WHERE o.scope_id IN $readable
  CREATE (o)-[:EVIDENCES {confidence: row.confidence, version: o.version, weight: 1.0, note: row.note, position: row.position, gain: 0.0, turn_key: row.turn_key,
                          since: $now, by: g.by_uid}]->(g)
  RETURN count(o) AS observations
}
CALL (g) {
  UNWIND $evidence AS row
  MATCH (o:Observation&Memory {uid: row.observation_id})-[conflict:CONTRADICTS]->(other:Observation)-[:EVIDENCES]->(g)
  WHERE conflict.until IS NULL AND o.scope_id IN $readable AND other.scope_id IN $readable
    AND all(side IN [o, other] WHERE side.status = 'active' AND side.expires_at > $now)
  RETURN collect(DISTINCT {observation_id: o.uid, other_id: other.uid}) AS conflicts
}
CALL (g) {
  UNWIND $topics AS row
  // part: topic(t, row)
  CREATE (g)-[:ON {scope_id: g.scope_id, topic_uid: t.uid, from_uid: g.uid, own: row.own, evidence: row.evidence}]->(t)
}
RETURN g.uid AS uid, parents, sources, observations, conflicts
