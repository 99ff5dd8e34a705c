// Counts actions by type without reading a node; `failed` is whether a result ever said that the action failed.
CREATE INDEX pending_action_usage IF NOT EXISTS FOR (n:PendingAction) ON (n.scope_id, n.type, n.created_at, n.status, n.failed);
// Actions of before: the journal says which of them failed. The index is used only if all of its properties have a condition.
MATCH (a:PendingAction) WHERE a.failed IS NULL
SET a.failed = EXISTS {
  MATCH (e:OutboxEvent {aggregate: a.uid, type: 'pending_action.failed'}) WHERE e.created_at IS NOT NULL
};
