// Whether a text was forgotten in a space of the caller; one row.
// mode: read
// scope: caller
// params: scope_id, text_key, writable
// returns: one
CYPHER 25
RETURN EXISTS { MATCH (t:Tombstone {scope_id: $scope_id, text_key: $text_key}) WHERE t.scope_id IN $writable } AS forgotten
