// Counts the records of some organisations up to a bound, and stores the numbers at the organisations; one row.
// mode: write, returns: one, scope: system - a job of the service
CYPHER 25
MATCH (org:Organisation)
WHERE org.uid > $after_uid
WITH org
ORDER BY org.uid
LIMIT $batch
CALL (org) {
  MATCH (space:Space)
  WHERE space.org_id = org.uid AND space.key IS NOT NULL
  CALL (space) {
    // The planner uses an index only with a condition on each of its properties.
    MATCH (n:Observation) WHERE n.scope_id = space.uid AND n.status IS NOT NULL AND n.uid IS NOT NULL
    WITH n LIMIT $most
    RETURN count(n) AS number
    UNION ALL
    MATCH (n:Goal)
    WHERE n.scope_id = space.uid AND n.status IS NOT NULL AND n.priority_rank IS NOT NULL AND n.uid IS NOT NULL
    WITH n LIMIT $most
    RETURN count(n) AS number
    UNION ALL
    MATCH (n:PendingAction) WHERE n.scope_id = space.uid AND n.status IS NOT NULL AND n.uid IS NOT NULL
    WITH n LIMIT $most
    RETURN count(n) AS number
    UNION ALL
    MATCH (n:Question)
    WHERE n.scope_id = space.uid AND n.status IS NOT NULL AND n.priority_rank IS NOT NULL AND n.uid IS NOT NULL
    WITH n LIMIT $most
    RETURN count(n) AS number
    UNION ALL
    MATCH (n:Story) WHERE n.scope_id = space.uid AND n.status IS NOT NULL AND n.uid IS NOT NULL
    WITH n LIMIT $most
    RETURN count(n) AS number
    UNION ALL
    MATCH (n:Remembered)
    WHERE n.scope_id = space.uid AND n.kind IS NOT NULL AND n.live IS NOT NULL AND n.uid IS NOT NULL
    WITH n LIMIT $most
    RETURN count(n) AS number
    UNION ALL
    MATCH (n:ToolInvocation) WHERE n.scope_id = space.uid AND n.uid IS NOT NULL
    WITH n LIMIT $most
    RETURN count(n) AS number
    UNION ALL
    MATCH (n:Outcome) WHERE n.scope_id = space.uid AND n.uid IS NOT NULL
    WITH n LIMIT $most
    RETURN count(n) AS number
  }
  RETURN sum(number) AS stored
}
// Most numbers change seldom, and a write locks the organisation.
FOREACH (_ IN CASE WHEN coalesce(org.stored, -1) <> stored THEN [1] ELSE [] END | SET org.stored = stored)
RETURN count(org) AS counted, max(org.uid) AS last_uid
