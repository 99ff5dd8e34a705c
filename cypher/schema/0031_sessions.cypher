// Sessions of working memory, and the texts that live in one session alone.
CREATE CONSTRAINT session_uid IF NOT EXISTS FOR (n:Session) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT session_key IF NOT EXISTS FOR (n:Session) REQUIRE (n.scope_id, n.key) IS UNIQUE;
CREATE INDEX session_status IF NOT EXISTS FOR (n:Session) ON (n.scope_id, n.status, n.uid);
CREATE INDEX session_activity IF NOT EXISTS FOR (n:Session) ON (n.status, n.last_activity);
