// Every node of an organisation with the relationships that begin at it, ordered by id; a row for each.
// mode: read, returns: many, scope: organisation
CYPHER 25
// A maintenance command: it looks at every node, nobody waits for a page. The rows are sent as they are taken.
MATCH (n)
WHERE n.org_id = $org_id AND NOT n:Importing AND coalesce(n.uid, '') > $after
WITH n
ORDER BY coalesce(n.uid, '')
RETURN n.uid AS uid, labels(n) AS labels, properties(n) AS properties,
  COLLECT {
    MATCH (n)-[r]->(m)
    RETURN {
      type: type(r),
      target: CASE m.org_id WHEN $org_id THEN m.uid END,
      properties: properties(r)
    }
  } AS links
