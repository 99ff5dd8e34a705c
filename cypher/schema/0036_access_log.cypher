// An access is logged once; the accesses of a session are listed by their ids, and deleted after their time.
CREATE CONSTRAINT access_log_uid IF NOT EXISTS FOR (n:AccessLog) REQUIRE n.uid IS UNIQUE;
CREATE INDEX access_log_session IF NOT EXISTS FOR (n:AccessLog) ON (n.session_uid, n.uid);
CREATE INDEX access_log_expires_at IF NOT EXISTS FOR (n:AccessLog) ON (n.expires_at);
