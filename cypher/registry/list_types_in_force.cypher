// The action types that organisations have put in force for themselves; one row.
// mode: read, returns: one, scope: system - jobs serve every organisation
CYPHER 25
MATCH (t:ActionType)
USING INDEX SEEK t:ActionType(org_id, type_id)
WHERE t.org_id > '' AND t.type_id IS NOT NULL AND t.definition IS NOT NULL
RETURN collect(t {.org_id, .type_id, .definition}) AS items
