// The fields of a story, with its readable evidence. Times that are never null are text: the driver is slow to build its temporal values.
// variables: s
.uid, .org_id, .scope_id, .question_id, .narrative, .acceptance_criteria, .references, .status, .status_reason,
.archived_at, created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid, .version, .client_key,
evidence_ids: COLLECT {
  MATCH (o:Observation)-[link:EVIDENCES]->(s)
  WHERE link.until IS NULL AND o.scope_id IN $readable
  RETURN o.uid ORDER BY link.since, link.position, o.uid
}
