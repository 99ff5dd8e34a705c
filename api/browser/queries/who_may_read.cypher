// Who may read which space
// Present access; each MAY relationship has the permission.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH access = (:Actor)-[may:MAY WHERE may.until IS NULL]->(space)
RETURN access
LIMIT 100
