// The ids of the pending actions that have one of some client keys in a space; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $client_keys AS client_key
MATCH (a:PendingAction {scope_id: $scope_id, client_key: client_key})
WHERE a.scope_id IN $writable
RETURN collect(a {.uid, .client_key}) AS items
