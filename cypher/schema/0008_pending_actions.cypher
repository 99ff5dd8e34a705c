// Open actions by utility and by due time, those of one owner together.
CREATE INDEX pending_action_utility IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.open, n.owner, n.sort_key);
CREATE INDEX pending_action_due IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.open, n.owner, n.due_key);
// An action may have a name of its caller's own, once in a space.
CREATE CONSTRAINT pending_action_client_key IF NOT EXISTS FOR (n:PendingAction) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
