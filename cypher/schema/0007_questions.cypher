// Guiding questions and their stories: the open ones of a space, most urgent first; a caller's own key once in a space.
CREATE CONSTRAINT question_uid IF NOT EXISTS FOR (n:Question) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT question_client_key IF NOT EXISTS FOR (n:Question) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX question_priority IF NOT EXISTS FOR (n:Question) ON (n.scope_id, n.status, n.priority_rank, n.uid);
CREATE CONSTRAINT story_uid IF NOT EXISTS FOR (n:Story) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT story_client_key IF NOT EXISTS FOR (n:Story) REQUIRE (n.scope_id, n.client_key) IS UNIQUE;
CREATE INDEX story_status IF NOT EXISTS FOR (n:Story) ON (n.scope_id, n.status, n.uid);
