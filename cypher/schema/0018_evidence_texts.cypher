// A link of evidence names the version of the observation that it was made with. Of links of before, it follows from the times.
MATCH (o:Observation)-[link:EVIDENCES]->() WHERE link.version IS NULL
CALL (o, link) {
  SET link.version = coalesce(head(COLLECT {
    MATCH (v:Version)
    USING INDEX SEEK v:Version(of_uid, number)
    WHERE v.of_uid = o.uid AND v.number > 0 AND v.created_at <= link.since
    RETURN v.number
    ORDER BY v.of_uid DESC, v.number DESC
    LIMIT 1
  }), 1)
} IN TRANSACTIONS OF 1000 ROWS;
// Versions of observations have their texts from now on. Those of before have the names of the changed texts in a list of their own.
MATCH (v:Version)-[:OF]->(:Observation) WHERE 'changed' IN v.fields
CALL (v) {
  WITH v, split(split(v.changes, '"changed": [')[1], ']')[0] AS names
  SET v.fields = COLLECT {
    UNWIND [name IN v.fields WHERE name <> 'changed'] + [name IN ['content', 'entities', 'metadata'] WHERE names CONTAINS name] AS name
    RETURN name
    ORDER BY name
  }
} IN TRANSACTIONS OF 1000 ROWS;
// Stories of a deprecated question are archived with it. Each gets its version, so a second run finds the rest only.
MATCH (q:Question)<-[:ANSWERS]-(s:Story) WHERE q.status = 'deprecated' AND s.status <> 'archived'
CALL (q, s) {
  WITH q, s, datetime() AS now
  SET s.status = 'archived', s.status_reason = 'its question is deprecated', s.archived_at = now, s.updated_at = now, s.version = s.version + 1
  CREATE (v:Version {uid: 'ver_0' + left(replace(toUpper(randomUUID()), '-', ''), 25), org_id: s.org_id, scope_id: s.scope_id, name: s.name,
                     created_at: now, by_uid: s.org_id, of_uid: s.uid, number: s.version, fields: ['archived_at', 'status', 'status_reason'],
                     changes: '{"archived_at": "' + toString(now) + '", "status": "archived", "status_reason": "its question is deprecated"}'})
  CREATE (v)-[:OF]->(s)
} IN TRANSACTIONS OF 500 ROWS;
