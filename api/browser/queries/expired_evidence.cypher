// Evidence that has expired
// Goals that are not finished and rest on an observation that is not active any more, or whose time is over.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
MATCH evidence = (observation:Observation)-[link:EVIDENCES WHERE link.until IS NULL]->(goal)
WHERE observation.status <> 'active' OR observation.expires_at < datetime()
RETURN evidence
LIMIT 100
