// A page of the consumers of all organisations, by organisation and name, each with where its readers may go; one row.
// mode: read, returns: one, scope: system - an operator sees those of every organisation
CYPHER 25
CALL () {
  MATCH (c:EventConsumer)
  USING INDEX SEEK c:EventConsumer(uid)
  WHERE c.uid > $after
  RETURN c
  ORDER BY c.uid
  LIMIT $limit
}
MATCH (org:Organisation {uid: c.org_id})
OPTIONAL MATCH (actor:Actor {uid: c.by_uid})
OPTIONAL MATCH (counter:EventCounter {org_id: c.org_id})
WITH c, org, actor, counter ORDER BY c.uid
RETURN collect(c {
  .uid, .scope_id, .key, .place, .moved_at, last: coalesce(counter.told, 0), org_key: org.key, actor: actor.key,
  .failing_uid, attempts: coalesce(c.attempts, 0)
}) AS items
