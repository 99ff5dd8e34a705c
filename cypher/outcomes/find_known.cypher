// The outcome of a space with a client key; no row if there is none.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (o:Outcome {scope_id: $scope_id, client_key: $client_key})
WHERE o.scope_id IN $writable
RETURN o.uid AS uid, o.client_hash AS client_hash
