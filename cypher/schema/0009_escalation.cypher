// Open actions that are due, of one type together; those that wait for an event; and the events of what they wait for.
CREATE INDEX pending_action_overdue IF NOT EXISTS FOR (n:PendingAction) ON (n.type, n.escalated, n.overdue_from);
CREATE INDEX pending_action_awaiting IF NOT EXISTS FOR (n:PendingAction) ON (n.awaiting, n.uid);
CREATE INDEX outbox_event_of IF NOT EXISTS FOR (n:OutboxEvent) ON (n.aggregate, n.type, n.created_at);
// Actions of before know of no escalation; each is given what the indexes hold.
MATCH (a:PendingAction) WHERE a.escalated IS NULL
SET a.escalated = false, a.overdue_from = CASE WHEN a.open THEN a.due_at END;
