// A turn has a status and is in a list. Whether turns of before have ended is not known; those of more than a day ago have.
CREATE INDEX turn_status IF NOT EXISTS FOR (n:Turn) ON (n.scope_id, n.status, n.uid);
MATCH (turn:Turn) WHERE turn.status IS NULL
CALL (turn) {
  SET turn.status = CASE WHEN turn.created_at < datetime() - duration('P1D') THEN 'ended' ELSE 'open' END
} IN TRANSACTIONS OF 1000 ROWS;
