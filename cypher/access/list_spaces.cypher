// The spaces that the caller may read, with the strongest permission in each; one row.
// mode: read
// scope: caller
// params: readable, actors
// returns: one
CYPHER 25
UNWIND $readable AS uid
MATCH (space:Space {uid: uid})
MATCH (actor:Actor)-[may:MAY]->(space)
WHERE actor.uid IN $actors AND may.until IS NULL
WITH space, collect(may.permission) AS permissions
ORDER BY space.uid
RETURN collect(space {.uid, .key, .name, .kind,
  permission: CASE WHEN 'admin' IN permissions THEN 'admin' WHEN 'write' IN permissions THEN 'write' ELSE 'read' END
}) AS items
