// The open blocking actions that make some goals wait for a person, in order of creation; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[:ADVANCES]-(a:PendingAction)
WHERE g.org_id = $org_id AND a.open AND a.blocking AND a.scope_id = g.scope_id
  AND (a.owner = 'user' OR a.requires_confirmation AND a.confirmed_at IS NULL)
WITH uid, a
ORDER BY a.uid
RETURN collect({goal_id: uid, uid: a.uid}) AS items
