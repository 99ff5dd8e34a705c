// A page of the readable observations linked to each of some goals as evidence, in the order of linking; one row.
// mode: read
// scope: caller
// params: pages, limit, readable, grantees
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (g:Goal {uid: page.uid})<-[link:EVIDENCES]-(o:Observation)
  // A share of a goal does not make its observations readable: their own space must be.
  WHERE o.scope_id IN $readable AND link.until IS NULL AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
    OR EXISTS {
      MATCH (g)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    }
    // end part
  )
  // A cursor holds the time of the link as microseconds: any whole number is a time, but not any text.
  WITH page, link, o, link.since.epochSeconds * 1000000 + link.since.microsecond AS at
  WHERE (page.after IS NULL OR at > page.after[0]
         OR at = page.after[0] AND (link.position > page.after[1] OR link.position = page.after[1] AND o.uid > page.after[2]))
  WITH link, o, at
  ORDER BY at, link.position, o.uid
  LIMIT $limit
  CALL (link, o) {
    // The first change of the text after the link has the text of the link as its old value.
    WITH link, o WHERE o.version > link.version
    MATCH (v:Version)
    USING INDEX SEEK v:Version(of_uid, number)
    WHERE v.of_uid = o.uid AND v.number > link.version AND 'content' IN v.fields
    WITH v
    ORDER BY v.of_uid, v.number
    LIMIT 1
    RETURN collect(v.before) AS replaced
  }
  RETURN collect({key: [at, link.position, o.uid], confidence: link.confidence, note: link.note, since: toString(link.since), replaced: head(replaced), node: o {
    // part: observation_fields(o)
    .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
    .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
    created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
    .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
    // end part
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
