// Where the database has what is about a person; one row.
// mode: read
// scope: organisation
// params: org_id, person_id, home_id, common, names
// returns: one
CYPHER 25
// An erasure is rare, and must miss nothing, of no label: it looks at every node.
MATCH (n)
WHERE n.org_id = $org_id
  AND NOT (n:Organisation OR n:Actor OR n:Space OR n:OutboxEvent OR n:EventCounter OR n:Request OR n:Tombstone OR n:AccessLog
    OR n:ActionType OR n:RegistryProposal OR n:Entity OR n:Importing)
  AND (
    n.scope_id = $home_id
    OR (
      NOT (n:Version OR n:Name OR n:Tag OR n:Topic OR n:Tool OR n:Conversation OR n:TraceEvent)
      AND NOT (n.scope_id = $common AND (n:Mandate OR n:Capability) AND n.by_uid = $person_id)
      AND (
        n.by_uid = $person_id
        OR (n:Goal|PendingAction|Session AND n.person_id = $person_id)
        OR (n:Goal|Observation AND (toLower(trim(n.user_id)) IN $names OR n.user_id = $person_id))
        OR toLower(trim(n.speaker)) IN $names
        OR EXISTS { MATCH (n)-[:MENTIONS]->(e:Entity) WHERE e.key IN $names }
      )
    )
  )
RETURN collect(elementId(n)) AS refs
