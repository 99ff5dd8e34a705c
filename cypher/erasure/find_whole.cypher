// Nodes that are to be erased, each with what was made from it and with its parts; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
UNWIND $refs AS ref
MATCH (s)
WHERE elementId(s) = ref AND s.org_id = $org_id
CALL (s) {
  RETURN s AS x
  UNION
  MATCH (s)<-[:RESTS_ON|SUMMARISES|OF|PART_OF]-(x)
  RETURN x
  UNION
  MATCH (s:Turn|Session)-[:LOGGED|RECEIVED|INVOKED|RESULTED_IN|SAVED|EXPORTED]->(x)
  RETURN x
  UNION
  MATCH (s:Turn)<-[:FAILED_IN]-(x)
  RETURN x
  UNION
  MATCH (s:Observation)-[:EVIDENCES]->(x:Goal {origin: 'promotion'})
  RETURN x
  UNION
  MATCH (s:Observation)-[:EVIDENCES]->(x:Story)
  RETURN x
  UNION
  MATCH (s:Goal)<-[:ADVANCES|ABOUT]-(x)
  RETURN x
  UNION
  MATCH (s:Question)<-[:ANSWERS]-(x)
  RETURN x
  UNION
  MATCH (s:Session)-[:HOLDS]->(x:Fragment)
  RETURN x
  UNION
  MATCH (s:Outcome)-[:TAUGHT]->(x:Lesson)
  WHERE NOT EXISTS { MATCH (x)<-[:TAUGHT]-(other:Outcome) WHERE other <> s }
  RETURN x
  UNION
  MATCH (x:Memory {uid: s.episode_uid})
  RETURN x
  UNION
  MATCH (s:Message)
  MATCH (c:Conversation {scope_id: s.scope_id, key: s.conversation})<-[:SUMMARISES]-(x:Summary)
  RETURN x
}
WITH DISTINCT x
WHERE x.org_id = $org_id
RETURN collect({
  ref: elementId(x),
  uid: x.uid,
  label: head([label IN [
    'Observation', 'Remembered', 'Lesson', 'Goal', 'PendingAction', 'Question', 'Story', 'Session', 'ToolInvocation',
    'Outcome', 'Summary', 'Turn', 'ContextReceipt', 'StateExport'
  ] WHERE label IN labels(x)]),
  scope_id: x.scope_id,
  version: coalesce(x.version, 1),
  text_key: CASE WHEN x:Observation OR x:Remembered THEN x.text_key END,
  text: CASE WHEN x:Observation OR x:Remembered THEN x.content END
}) AS items
