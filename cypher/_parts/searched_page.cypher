// A page of all that is searched, by id: memories, goals, questions and stories, as `m`.
// variables: m
CALL () {
  MATCH (m:Memory)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Goal)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Question)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Story)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
}
WITH m
ORDER BY m.uid
LIMIT $limit
