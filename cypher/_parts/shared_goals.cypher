// The goals that are shared with the caller, and those below them in the same space: few compared with those of readable spaces.
// variables: g
UNWIND $grantees AS grantee
MATCH (:Actor {uid: grantee})-[may:MAY]->(root:Goal)
WHERE may.until IS NULL
MATCH (root) (()<-[down:CHILD_OF WHERE down.until IS NULL]-()){0,20} (g:Goal)
WHERE g.scope_id = root.scope_id
