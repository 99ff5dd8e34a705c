// What some nodes and the links that begin at them name as their space although it is none of their organisation, and links to other organisations; one row.
// mode: read, returns: one, scope: system - whoever runs the service checks all organisations with it
CYPHER 25
UNWIND $refs AS ref
MATCH (n)
WHERE elementId(n) = ref
CALL (n) {
  UNWIND [
    {field: 'scope_id', value: coalesce(n.scope_id, '')},
    {field: 'searchable_in', value: n.searchable_in},
    {field: 'home_id', value: n.home_id}
  ] AS named
  WITH n, named
  // What belongs to no space has the id of its organisation in place of one.
  WHERE named.value IS NOT NULL AND (named.field <> 'scope_id' OR named.value <> n.org_id)
  RETURN null AS link, named.field AS field, named.value AS value
  UNION ALL
  MATCH (n)-[r]->()
  WHERE r.scope_id IS NOT NULL
  RETURN type(r) AS link, 'scope_id' AS field, r.scope_id AS value
  UNION ALL
  MATCH (n)-[r]->(m)
  WHERE m.org_id <> n.org_id
  RETURN type(r) AS link, 'org_id' AS field, m.org_id AS value
}
// Each space is looked up once.
WITH n.org_id AS org_id, field, value, collect(DISTINCT {uid: coalesce(n.uid, ''), link: link}) AS named
WHERE field = 'org_id' OR NOT EXISTS { MATCH (s:Space {uid: value}) WHERE s.org_id = org_id }
UNWIND named AS each
WITH org_id, field, value, each
ORDER BY each.uid, field, each.link
RETURN count(*) AS number,
  collect({org_id: org_id, uid: each.uid, link: each.link, field: field, value: value})[..$most] AS items
