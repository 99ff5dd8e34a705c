// A checkpoint keeps what a session held; its name is unique in the session.
CREATE CONSTRAINT checkpoint_uid IF NOT EXISTS FOR (n:Checkpoint) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT checkpoint_key IF NOT EXISTS FOR (n:Checkpoint) REQUIRE (n.session_uid, n.key) IS UNIQUE;
