// Every spelling of a user or a speaker in an organisation; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
// An index is used only if all of its properties have a condition.
MATCH (space:Space)
WHERE space.org_id = $org_id AND space.key IS NOT NULL
WITH collect(space.uid) AS scopes
CALL (scopes) {
  MATCH (n:Goal|Observation)
  WHERE n.scope_id IN scopes AND n.user_id IS NOT NULL
  RETURN n.user_id AS spelling
  UNION
  MATCH (n:Remembered)
  WHERE n.scope_id IN scopes AND n.speaker IS NOT NULL
  RETURN n.speaker AS spelling
}
RETURN collect(spelling) AS spellings
