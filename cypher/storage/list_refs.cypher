// References of every node of an organisation, also of one that is being imported, or of all organisations; a row for each.
// mode: read, returns: many, scope: system - whoever runs the service checks all organisations with it
CYPHER 25
// A maintenance command: it looks at every node, nobody waits for a page. The rows are sent as they are taken.
MATCH (n)
WHERE CASE
    WHEN $org_id IS NULL THEN n.org_id IS NOT NULL AND NOT n:Importing
    ELSE n.org_id = $org_id AND coalesce(n.uid, '') <> 'import_' + $org_id
  END
RETURN elementId(n) AS ref
