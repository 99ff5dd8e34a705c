// What a turn's commit exports, and the parts of commits that failed; memories of a turn that are kept for a time are found when it is over.
CREATE CONSTRAINT state_export_uid IF NOT EXISTS FOR (n:StateExport) REQUIRE n.uid IS UNIQUE;
CREATE INDEX state_export_scope IF NOT EXISTS FOR (n:StateExport) ON (n.scope_id, n.uid);
CREATE CONSTRAINT pending_commit_uid IF NOT EXISTS FOR (n:PendingCommit) REQUIRE n.uid IS UNIQUE;
CREATE INDEX pending_commit_status IF NOT EXISTS FOR (n:PendingCommit) ON (n.scope_id, n.status, n.uid);
CREATE INDEX remembered_retained_until IF NOT EXISTS FOR (n:Remembered) ON (n.retained_until);
