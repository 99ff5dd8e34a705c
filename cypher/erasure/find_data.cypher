// Where the database has what is about a person; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
// An index is used only if all of its properties have a condition.
MATCH (space:Space)
WHERE space.org_id = $org_id AND space.key IS NOT NULL
// What reads events for a broker is in no space, but under the id of the organisation.
WITH collect(space.uid) + $org_id AS scopes
CALL (scopes) {
  // All that the private space has.
  MATCH (n)
  WHERE n.scope_id = $home_id AND n.by_uid IS NOT NULL
    // part: authored(n)
  RETURN n
  UNION
  MATCH (n:Conversation|Name|Tag|Tool|Topic)
  WHERE n.scope_id = $home_id AND n.key IS NOT NULL
  RETURN n
  UNION
  MATCH (n:TraceEvent|Version)
  WHERE n.scope_id = $home_id AND n.uid IS NOT NULL
  RETURN n
  UNION
  // What the person wrote elsewhere.
  MATCH (n)
  WHERE n.scope_id IN scopes AND n.by_uid = $person_id
    // part: authored(n)
  RETURN n
  UNION
  // What is for the person.
  MATCH (n:Goal)
  USING INDEX SEEK n:Goal(scope_id, person_id, status, priority_rank, uid)
  WHERE n.scope_id IN scopes AND n.person_id = $person_id
    AND n.status IS NOT NULL AND n.priority_rank IS NOT NULL AND n.uid IS NOT NULL
  RETURN n
  UNION
  MATCH (n:PendingAction)
  WHERE n.person_id = $person_id AND n.open IS NOT NULL AND n.sort_key IS NOT NULL
  RETURN n
  UNION
  MATCH (n:Session)
  WHERE n.scope_id IN scopes AND n.person_id = $person_id
  RETURN n
  UNION
  // What names the person.
  MATCH (n:Goal|Observation)
  WHERE n.scope_id IN scopes AND n.user_id IN $spellings
  RETURN n
  UNION
  MATCH (n:Remembered)
  WHERE n.scope_id IN scopes AND n.speaker IN $spellings
  RETURN n
  UNION
  MATCH (e:Entity)<-[:MENTIONS]-(n)
  WHERE e.org_id = $org_id AND e.key IN $names
  RETURN n
}
WITH n
WHERE n.org_id = $org_id AND NOT n:Importing
  // Rules of the common space stay, whoever wrote them.
  AND NOT coalesce(
    n:Mandate|Capability AND n.scope_id = $common AND n.scope_id <> $home_id AND n.by_uid = $person_id, false
  )
RETURN collect(elementId(n)) AS refs
