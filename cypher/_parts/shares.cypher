// The way from a goal up to a goal of its space, itself included, that is shared with the caller.
// variables: g
  (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
