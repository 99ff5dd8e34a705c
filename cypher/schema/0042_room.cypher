// The least important episodes of a space are found when its room is short.
CREATE INDEX remembered_importance IF NOT EXISTS FOR (n:Remembered) ON (n.scope_id, n.kind, n.live, n.importance, n.uid);
