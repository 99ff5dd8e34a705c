// What a readable proposal held when it was submitted; no row if it is not readable.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (v:Version {of_uid: $uid, number: 1})
WHERE v.scope_id IN $readable
RETURN v.changes AS changes
