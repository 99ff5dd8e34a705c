// The active memories of a kind in some spaces, oldest first, with what they declare about plans; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
MATCH (m:Remembered)
USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
WHERE m.scope_id = scope_id AND m.kind = $mandate_kind AND m.live = true AND m.uid IS NOT NULL AND m.org_id = $org_id
WITH m ORDER BY m.uid
RETURN collect(m {.uid, .content, .forbids, .requires_confirmation}) AS items
