// The ids of all spaces of an organisation; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
MATCH (space:Space)
// The index is used only if all of its properties have a condition.
WHERE space.org_id = $org_id AND space.key IS NOT NULL
RETURN collect(space.uid) AS uids
