// A page of goals, questions and stories, by id, and those among them without terms, which were stored before there were any; one row.
// mode: read
// scope: system - the migration serves every organisation
// params: after, limit
// returns: one
CYPHER 25
CALL () {
  MATCH (n:Goal)
  WHERE n.uid > $after
  RETURN n, 'goal' AS kind, n.status <> 'archived' AS found, [n.title, n.description] AS texts, [] AS tags
  ORDER BY n.uid
  LIMIT $limit
  UNION ALL
  MATCH (n:Question)
  WHERE n.uid > $after
  RETURN n, 'question' AS kind, n.status <> 'archived' AS found, [n.text] AS texts, n.tags AS tags
  ORDER BY n.uid
  LIMIT $limit
  UNION ALL
  MATCH (n:Story)
  WHERE n.uid > $after
  RETURN n, 'story' AS kind, n.status <> 'archived' AS found, [n.narrative] AS texts, [] AS tags
  ORDER BY n.uid
  LIMIT $limit
}
WITH n, kind, found, texts, tags
ORDER BY n.uid
LIMIT $limit
RETURN count(n) AS looked, max(n.uid) AS last_uid,
       collect(CASE WHEN n.terms IS NULL THEN n {
         .uid, kind: kind, space: CASE WHEN found THEN n.scope_id END, texts: texts, tags: tags, at: toString(n.created_at)
       } END) AS items
