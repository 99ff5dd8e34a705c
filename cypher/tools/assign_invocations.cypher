// Assigns the invocations of a turn that no outcome has yet to an outcome; one row with how often each tool was called, and how often with success.
// mode: write, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (turn:Turn {uid: $turn_uid})-[:INVOKED]->(inv:ToolInvocation)
WHERE turn.scope_id IN $writable AND inv.outcome_uid IS NULL
SET inv.outcome_uid = $outcome_uid
WITH inv.tool AS tool, count(inv) AS uses, sum(CASE inv.status WHEN 'success' THEN 1 ELSE 0 END) AS successes
WHERE tool IS NOT NULL
RETURN collect({tool: tool, uses: uses, successes: successes}) AS items
